"""Arguments and options shared by several commands."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ReferenceForm(StrEnum):
    """Output formats for a parsed reference."""

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
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the summary.")]
Retry = Annotated[bool, typer.Option("--retry", help="Retry what failed before.")]
Forget = Annotated[
    bool, typer.Option("--forget", help="Remove papers even if a whole source folder is now empty.")
]
Refresh = Annotated[
    bool,
    typer.Option(
        "--refresh", help="Check fetched pages for changes, those most likely to have changed first."
    ),
]
Yes = Annotated[
    bool, typer.Option("--yes", "-y", help="Continue even if more than a tenth of the entries would be lost.")
]
Workers = Annotated[
    int,
    typer.Option("--workers", min=0, help="Number of worker processes; 0 uses the setting in portal.toml."),
]
Host = Annotated[str | None, typer.Option("--host", help="Address to listen on.", show_default=False)]
Servers = Annotated[
    int,
    typer.Option(
        "--workers", min=1, max=64, help="Number of server processes; about one per core on a busy site."
    ),
]
Port = Annotated[
    int | None,
    typer.Option("--port", min=0, max=65535, help="Port; 0 picks a free one.", show_default=False),
]
