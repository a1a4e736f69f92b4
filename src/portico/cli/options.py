"""Arguments and options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

Portal = Annotated[
    Path,
    typer.Argument(
        help="The portal's folder, or a folder of PDF and PostScript files.",
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
