"""Commands for researchers: measure the shipped models on labelled data."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

lab_app = typer.Typer(
    help="Measure the learned parts on labelled data.", rich_markup_mode=None, no_args_is_help=True
)

# Several threads that share a core wait for each other: on two busy cores training took ten times as long.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when numpy is first imported

SHARED = Path(os.environ.get("PORTICO_DATA", "../shared"))
"""The folder of the labeled data, unless --data names another."""

Json = Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")]
Quick = Annotated[bool, typer.Option("--quick", help="Use a small part of the data, to check that it runs.")]
Out = Annotated[Path, typer.Option("--out", help="Output file; the shipped model is not changed.")]


def name_data(name: str) -> Any:
    return typer.Option("--data", help=f"The folder {name}.", show_default=False)


@lab_app.command("headers")
def lab_headers(
    data: Annotated[Path, name_data("with headers/, and citations/ for distant labels")] = SHARED / "data",
    json: Json = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw the papers' figure 9 here.")] = None,
    quick: Quick = False,
) -> None:
    """Header fields on the Cora headers: protocol A (the papers', all their models) and B (every word)."""
    from portico.cli.figures import show_headers

    show_headers(data, json, plot, quick=quick)


@lab_app.command("references")
def lab_references(
    data: Annotated[Path, name_data("with references/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Reference fields on the Cora references: 350/150 and ten-fold."""
    from portico.cli.figures import show_figures
    from portico.lab.measures.references import measure_references

    show_figures(measure_references(data, quick=quick), json)


@lab_app.command("papers")
def lab_papers(
    data: Annotated[Path, name_data("of sets with truth.jsonl")] = SHARED / "data" / "papers",
    json: Json = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw how far probabilities are true in this folder.")
    ] = None,
    quick: Quick = False,
) -> None:
    """From file to record on real papers: titles, authors, abstracts, references, and their calibration."""
    from portico.cli.figures import show_papers

    show_papers(data, json, plot, limit=3 if quick else None)


@lab_app.command("splitting")
def lab_splitting(
    data: Annotated[Path, name_data("with references/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Where references begin: half of the labelled sections for training, half for testing, both ways."""
    from portico.cli.figures import show_figures
    from portico.lab.measures.sections import measure_splitting

    show_figures(measure_splitting(data, quick=quick), json)


@lab_app.command("zones")
def lab_zones(
    data: Annotated[Path, name_data("with headers/grobid/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Header, body, references, appendix, line by line: half of the documents trained on, half tested."""
    from portico.cli.figures import show_figures
    from portico.lab.measures.sections import measure_zones

    show_figures(measure_zones(data, quick=quick), json)


@lab_app.command("topics")
def lab_topics(
    data: Annotated[Path, name_data("with documents.jsonl.gz, topics.tsv, labels.tsv")] = SHARED
    / "data"
    / "topics"
    / "cora70",
    json: Json = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw labels against keywords, and calibration, here.")
    ] = None,
    quick: Quick = False,
    outside: Annotated[
        Path | None,
        typer.Option(help="Mix in documents of this folder until a fifth is from outside the tree."),
    ] = None,
    branch: Annotated[
        list[str] | None,
        typer.Option(
            help="Only of this branch or leaf; without --outside it is held out of the tree of --data."
        ),
    ] = None,
) -> None:
    """Topics from keywords alone: the papers' Table 8, its switches one by one, and the default.

    \b
      portico lab topics --data cora70
      portico lab topics --data cora70 --outside arxiv53 --branch math --branch physics
      portico lab topics --data arxiv53 --branch physics
    """
    from portico.cli.figures import show_topics
    from portico.lab.measures.topics import TopicQuestion

    question = TopicQuestion(
        data,
        quick=quick,
        outside=outside,
        branches=tuple(branch or ()),
        tell=lambda line: typer.echo(line, err=True),
    )
    show_topics(question, json, plot)


@lab_app.command("topic-trees")
def lab_topic_trees(
    data: Annotated[Path, name_data("with topics/ and fields/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Topics from keywords on many trees, each left out with its relatives, and sizes of collections."""
    from portico.cli.figures import show_topic_trees

    show_topic_trees(data, json, quick=quick)


@lab_app.command("research-fields")
def lab_research_fields(
    data: Annotated[Path, name_data("with fields/ and topics/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """The field of research of abstracts and titles, on sources that were not learned from."""
    from portico.cli.figures import show_figures
    from portico.lab.training.research_fields import measure_fields

    show_figures(measure_fields(data, quick=quick), json)


@lab_app.command("outsiders")
def lab_outsiders(
    data: Annotated[Path, name_data("with fields/ and topics/")] = SHARED / "data", json: Json = None
) -> None:
    """Papers of other fields, one at a time: the share in no topic of the tree of computer science."""
    from portico.cli.figures import show_outsiders

    show_outsiders(data, json)


@lab_app.command("matching")
def lab_matching(
    data: Annotated[Path, name_data("of two tables, or a file of citations or pairs")] = SHARED
    / "data"
    / "citations"
    / "cora_refs.jsonl.gz",
    json: Json = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw F1 over thresholds in this folder.")
    ] = None,
    quick: Quick = False,
) -> None:
    """Which citations are one paper: precision, recall and F1, published figures beside ours.

    On citations also what thresholds and weights learned on the sets beside the file reach, and how many true
    pairs each kind of blocking key brings together. A folder of papers is measured for their authors.

    \b
      portico lab matching --data citations/cora_refs.jsonl.gz --plot plots
      portico lab matching --data citations/dblp_acm
      portico lab matching --data citations/dblp_scholar/valid.txt.gz
      portico lab matching --data citations/peerread
    """
    from portico.cli.figures import show_matching

    show_matching(data, json, plot, quick=quick)


@lab_app.command("search")
def lab_search(
    data: Annotated[Path, name_data("with citations/peerread/ and topics/arxiv53/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Searches against bare tantivy, SQLite's FTS5 and bm25s on the same papers, in one run.

    Queries are titles of papers that are left out (the papers they cite are the answers), two keywords of a
    topic (its papers), and four words of an abstract, as printed and in the other number (the paper itself).
    """
    from portico.cli.figures import show_figures
    from portico.lab.measures.search import measure_search

    show_figures(measure_search(data, quick=quick, tell=lambda line: typer.echo(line, err=True)), json)


@lab_app.command("spider")
def lab_spider(
    data: Annotated[Path, name_data("with targets.json and sites/")] = SHARED / "web",
    train: Annotated[
        Path | None, typer.Option("--train", help="Learn from the sites of this folder instead.")
    ] = None,
    task: Annotated[str, typer.Option(help="What to look for: papers, officers or contact.")] = "papers",
    json: Json = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw harvest curves in this folder.")] = None,
    quick: Quick = False,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            "--samples",
            min=0,
            help="Train so many times on chance samples of links and of sites too, to see the spread.",
        ),
    ] = 0,
) -> None:
    """How many links spiders follow to find the targets of real sites, each learned from the others.

    Prints the share of links at 5 to 90 % of the targets (the papers' figures beside ours), the gap to the
    optimal spider site by site, which findings of the papers hold, and the most telling words. With one
    site and no --train the shipped spider is walked.
    """
    from portico.cli.figures import show_spider
    from portico.lab.measures.spider import SpiderStudy

    show_spider(data, SpiderStudy(task, train, quick, seeds), json, plot)


@lab_app.command("teaching")
def lab_teaching(
    data: Annotated[Path, name_data("of sites (sites/, targets.json)")] = SHARED / "web",
    task: Annotated[str, typer.Option("--task", help="What is sought: officers or contact.")] = "officers",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """How soon example paths lead to a goal, how much marks teach, and whether they ever do harm.

    Three paths on two sites are taught and the fetches counted until the goal of a third, for all such sites.
    Then the pages of each recipe are read with nothing, 3, 8 and 20 pages marked (--quick: of one recipe),
    and 200 lessons are given at random in fields, rightly and wrongly, in three domains (--quick: 28).
    """
    from portico.cli.figures import show_figures
    from portico.lab.measures.lessons import N_LESSONS
    from portico.lab.measures.marking_growth import measure_growth, measure_lessons
    from portico.lab.measures.teaching import measure_teaching

    def tell(line: str) -> None:
        typer.echo(line, err=True)

    lessons = measure_lessons(data, n_lessons=28 if quick else N_LESSONS, tell=tell)
    growth = measure_growth(quick=quick, tell=tell)
    paths = measure_teaching(data, task=task, quick=quick)
    show_figures({**paths, "pages marked": growth, "marks": lessons}, json)
