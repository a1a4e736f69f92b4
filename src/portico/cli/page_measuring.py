"""Commands for domains of web pages: retrain what recognizes and reads them, and measure it."""

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


def lab_organisations(data: Sites = SHARED / "web", json: Json = None, quick: Quick = False) -> None:
    """Officers and contacts on sites the model has not seen: names, roles, addresses, telephones.

    Each site is left out once, the model trained on all others; the truth was written down by reading the
    pages. The second part tells officers and contact pages from all other pages of a site.
    """
    from portico.cli.figures import show
    from portico.lab.measure_organisations import measure_organisations
    from portico.lab.measure_page_kinds import measure_page_kinds

    def tell(line: str) -> None:
        typer.echo(line, err=True)

    figures = measure_organisations(data, quick=quick, progress=tell)
    show({**figures, "page kinds": measure_page_kinds(data, quick=quick, progress=tell)}, json)


def lab_courses(data: Sites = SHARED / "web", json: Json = None, quick: Quick = False) -> None:
    """A domain declared in TOML: course pages of two universities, read before and after marking a dozen.

    The domain is the one `portico init --domain custom` writes; twelve pages of one university are marked,
    the other pages of it and those of a second one are read.
    """
    from portico.cli.figures import show
    from portico.lab.measure_courses import measure_courses

    show(measure_courses(data, quick=quick), json)


def train_fields(
    data: Sites = SHARED / "web", out: Out = Path("fields.zip"), portal: FromPortal = None
) -> None:
    """Train the model that reads fields from web pages.

    \b
      portico train fields --data web --out fields.zip     officers and contacts, from the truth that ships
      portico train fields --from my-portal                from the passages marked in portico teach
    """
    if portal is not None:
        from portico.cli.lessons import learn_marked

        typer.echo(learn_marked(portal))
        return
    from portico.lab.measure_organisations import train_on
    from portico.lab.organisations import read_true_pages

    out.write_bytes(train_on(read_true_pages(data)).to_bytes())
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
        from portico.pipeline.portal import open_for_teaching
        from portico.pipeline.teaching.page_teaching import learn_pages

        with open_for_teaching(portal) as opened:
            taught = learn_pages(opened)
        typer.echo(
            f"Wrote {taught.file}, from {taught.n_sought} pages shown and {taught.n_others} others: "
            f"the next build of this portal goes by it."
        )
        return
    from portico.lab.measure_page_kinds import read_known_sites, train_kinds

    sites = read_known_sites(data, tell=lambda line: typer.echo(line, err=True))
    out.write_bytes(train_kinds(sites).to_bytes())
    typer.echo(f"Wrote {out}.")
