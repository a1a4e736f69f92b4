"""Commands about web pages: retrain and measure the models that find, recognize and read pages."""

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from portico.cli.measuring import SHARED, Json, Out, Quick

Sites = Annotated[
    Path, typer.Option("--data", help="The folder with targets.json and sites/.", show_default=False)
]
FromPortal = Annotated[
    Path | None,
    typer.Option("--from", help="Learn from what was marked and taught in this portal, for this portal."),
]


def lab_paths(
    data: Sites = SHARED / "web",
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
    from portico.lab.measures.path_report import format_path_table, write_path_plots
    from portico.lab.measures.paths import measure_paths, summarize_figures

    sheets = measure_paths(data, quick=quick, progress=lambda line: typer.echo(line, err=True))
    found = summarize_figures(sheets)
    for line in format_path_table(found):
        typer.echo(line)
    if json is not None:
        json.write_text(json_format.dumps(found, indent=1), encoding="utf-8")
    if plot is not None:
        for drawn in write_path_plots(sheets, plot):
            typer.echo(f"Drew {drawn}.")


def train_paths(
    data: Sites = SHARED / "web",
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
    from portico.lab.measures.paths import train_paths as train

    model = train(data, task or ["officers", "contact"], progress=lambda line: typer.echo(line, err=True))
    model.save(out)
    typer.echo(f"Wrote {out} ({out.stat().st_size / 1000:.0f} kB).")


def lab_organisations(data: Sites = SHARED / "web", json: Json = None, quick: Quick = False) -> None:
    """Officers and contacts on sites the model has not seen: names, roles, telephones, faxes, addresses.

    A third of the sites is left out in turn, the model trained on the others; the truth was written down by
    reading the pages. The second part tells officers and contact pages from all other pages of a site, the
    third reads a gallery of invented pages in 24 layouts and eleven languages, half of them not looked at.
    """
    from portico.cli.figures import show_figures
    from portico.lab.measures.organisations import measure_gallery, measure_organisations, measure_page_kinds

    def tell(line: str) -> None:
        typer.echo(line, err=True)

    gallery = measure_gallery(quick=quick)
    figures = measure_organisations(data, quick=quick, progress=tell)
    kinds = measure_page_kinds(data, quick=quick, progress=tell)
    show_figures({**figures, "page kinds": kinds, "gallery": gallery}, json)


def lab_courses(data: Sites = SHARED / "web", json: Json = None, quick: Quick = False) -> None:
    """A domain declared in TOML: course pages of two universities, read before and after marking a dozen.

    The domain is the one `portico init --domain custom` writes; twelve pages of one university are marked,
    the other pages of it and those of a second one are read.
    """
    from portico.cli.figures import show_figures
    from portico.lab.measures.courses import measure_courses

    show_figures(measure_courses(data, quick=quick), json)


def train_fields(
    data: Sites = SHARED / "web", out: Out = Path("fields.zip"), portal: FromPortal = None
) -> None:
    """Train the model that reads fields from web pages.

    \b
      portico train fields --data web --out fields.zip     officers and contacts, from the truth and
                                                         the invented pages that ship
      portico train fields --from my-portal                from the passages marked in portico teach
    """
    if portal is not None:
        from portico.cli.lessons import learn_marked

        for line in learn_marked(portal).lines():
            typer.echo(line)
        return
    from portico.lab.datasets.invented_officers import invent_pages
    from portico.lab.datasets.organisations import read_true_pages
    from portico.lab.measures.organisations import INVENTED_PAGES, train_page_labels

    pages = (*read_true_pages(data), *invent_pages(INVENTED_PAGES))
    out.write_bytes(train_page_labels(pages).to_bytes())
    typer.echo(f"Wrote {out}.")


def train_pages(
    data: Sites = SHARED / "web", out: Out = Path("pages.zip"), portal: FromPortal = None
) -> None:
    """Train the model that tells the sought kinds of pages from all others.

    \b
      portico train pages --data web --out pages.zip       officers and contact pages of mapped sites
      portico train pages --from my-portal                 from pages marked, and goals of portico teach
    """
    if portal is not None:
        from portico.cli.lessons import learn_shown

        for line in learn_shown(portal).lines():
            typer.echo(line)
        return
    from portico.lab.measures.organisations import read_known_sites, train_kinds

    sites = read_known_sites(data, tell=lambda line: typer.echo(line, err=True))
    out.write_bytes(train_kinds(sites).to_bytes())
    typer.echo(f"Wrote {out}.")
