"""Arguments and options that several commands share."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class PaperForm(StrEnum):
    """How a paper that was read is printed."""

    JSON = "json"
    BIBTEX = "bibtex"
    TEI = "tei"


class ReferenceForm(StrEnum):
    """How a reference that was taken apart is printed."""

    JSON = "json"
    BIBTEX = "bibtex"


Portal = Annotated[
    Path,
    typer.Argument(
        help="The portal's folder, or a folder of papers (PDF, PostScript, DOCX, …).",
        metavar="PORTAL",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the summary.")]
Retry = Annotated[bool, typer.Option("--retry", help="Try again what failed before.")]
Forget = Annotated[
    bool, typer.Option("--forget", help="Let papers go even where a whole folder has become empty.")
]
Refresh = Annotated[
    bool,
    typer.Option("--refresh", help="Ask the web again whether pages have changed, the likeliest first."),
]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Go on even where more than a tenth of the things would be lost.")
]
Workers = Annotated[int, typer.Option("--workers", min=0, help="Processes at work; 0: as portal.toml says.")]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.", show_default=False)]
Servers = Annotated[
    int,
    typer.Option("--workers", min=1, max=64, help="Processes that answer; one for each busy core."),
]
Port = Annotated[
    int | None,
    typer.Option("--port", min=0, max=65535, help="Port; 0 takes any free one.", show_default=False),
]
