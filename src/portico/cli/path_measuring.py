"""Commands for researchers about paths: learn the ways to goal pages from mapped sites, and measure them."""

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.measuring import SHARED, Json, Quick

Web = Annotated[
    Path, typer.Option("--data", help="The folder with targets.json and sites/.", show_default=False)
]


def lab_paths(
    data: Web = SHARED / "web",
    json: Json = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw harvest curves in this folder.")] = None,
    quick: Quick = False,
) -> None:
    """Paths to goal pages: labels of the pages on them, and how early goals are found, on sites left out.

    Faculty pages and publication lists of departments (webkb_classes_*.tsv says what their pages are): F1 of
    labels by conditional random fields and by classifiers of single pages; goals a request when half of them
    are found, and the share found within a tenth of the links, against the spiders and breadth-first. Then
    officers and contact pages of companies: links followed, as a share of breadth-first's.
    """
    from portico.lab.measure_paths import figures, measure_paths
    from portico.lab.path_report import path_table, write_path_plots

    sheets = measure_paths(data, quick=quick, progress=lambda line: typer.echo(line, err=True))
    found = figures(sheets)
    for line in path_table(found):
        typer.echo(line)
    if json is not None:
        json.write_text(json_format.dumps(found, indent=1), encoding="utf-8")
    if plot is not None:
        for drawn in write_path_plots(sheets, plot):
            typer.echo(f"Drew {drawn}.")


def train_paths(
    data: Web = SHARED / "web",
    task: Annotated[
        list[str] | None, typer.Option(help="What is sought: officers or contact; both if nothing is said.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="Where to write the model.")] = Path("paths.npz"),
) -> None:
    """Learn the ways to sought pages from mapped sites, for crawls with policy = "paths".

    \b
      portico train paths --data web --out my-portal/models/paths.npz
      portico train paths --data web --task contact --out my-portal/models/paths.npz

    To learn from pages you show yourself: portico teach my-portal.
    """
    from portico.lab.measure_paths import train_paths as train

    model = train(data, task or ["officers", "contact"], progress=lambda line: typer.echo(line, err=True))
    model.save(out)
    typer.echo(f"Wrote {out} ({out.stat().st_size / 1000:.0f} kB).")
