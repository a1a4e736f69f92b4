"""Commands for researchers: retrain what ships, and measure it on labelled data."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

train_app = typer.Typer(
    help="Train a part again from labelled data.", rich_markup_mode=None, no_args_is_help=True
)
lab_app = typer.Typer(
    help="Measure the learned parts on labelled data.", rich_markup_mode=None, no_args_is_help=True
)

SHARED = Path(os.environ.get("PORTICO_DATA", "../shared"))
"""Where the labelled data is unless --data says otherwise."""

Json = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file too.")]
Quick = Annotated[bool, typer.Option("--quick", help="A small part of the data, to see that it runs.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the model; the shipped one stays as it is.")]


def _data(name: str) -> Any:
    return typer.Option("--data", help=f"The folder {name}.", show_default=False)


@lab_app.command("headers")
def lab_headers(
    data: Annotated[Path, _data("with headers/")] = SHARED / "data", json: Json = None, quick: Quick = False
) -> None:
    """Header fields on the Cora headers: protocol A (the papers') and B (every word)."""
    from portico.cli.figures import show
    from portico.lab.measure_headers import measure_headers

    show(measure_headers(data, quick=quick), json)


@lab_app.command("references")
def lab_references(
    data: Annotated[Path, _data("with references/")] = SHARED / "data",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """Reference fields on the Cora references: 350/150 and ten-fold."""
    from portico.cli.figures import show
    from portico.lab.measure_references import measure_references

    show(measure_references(data, quick=quick), json)


@lab_app.command("papers")
def lab_papers(
    data: Annotated[Path, _data("of sets with truth.jsonl")] = SHARED / "data" / "papers",
    json: Json = None,
    quick: Quick = False,
) -> None:
    """From file to record on real papers: titles, authors, abstracts, references."""
    from portico.cli.figures import paper_figures, show

    show(paper_figures(data, limit=3 if quick else None), json)


@lab_app.command("topics")
def lab_topics(
    data: Annotated[Path, _data("with documents.jsonl.gz, topics.tsv, labels.tsv")] = SHARED
    / "data"
    / "topics"
    / "cora70",
    json: Json = None,
) -> None:
    """Topics from keywords alone: the papers' method and ours, accuracy at leaf and top."""
    from portico.cli.figures import show, topic_figures

    show(topic_figures(data), json)


@lab_app.command("matching")
def lab_matching(
    data: Annotated[Path, _data("of two tables, or a file of citations or pairs")] = SHARED
    / "data"
    / "citations"
    / "cora_refs.jsonl.gz",
    json: Json = None,
) -> None:
    """Which citations are one paper: pairwise precision, recall and F1."""
    from portico.cli.figures import matching_figures, show

    show(matching_figures(data), json)


@lab_app.command("spider")
def lab_spider(
    data: Annotated[Path, _data("with targets.json and sites/")] = SHARED / "web",
    train: Annotated[
        Path | None, typer.Option("--train", help="Learn from the sites of this folder instead.")
    ] = None,
    task: Annotated[str, typer.Option(help="What to look for: papers, officers or contact.")] = "papers",
    json: Json = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw harvest curves in this folder.")] = None,
    quick: Quick = False,
    samples: Annotated[
        int, typer.Option(min=0, help="Train on so many bootstrap samples too, to see the spread.")
    ] = 0,
) -> None:
    """How many links spiders follow to find the targets of real sites, each learned from the others."""
    from portico.cli.figures import show_spider
    from portico.lab.measure_spider import Study

    show_spider(data, Study(task, train, quick, samples), json, plot)


@train_app.command("headers")
def train_headers(
    data: Annotated[Path, _data("with headers/")] = SHARED / "data", out: Out = Path("headers.crfsuite")
) -> None:
    """Train the header model."""
    from portico.lab import training

    training.train_headers(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("references")
def train_references(
    data: Annotated[Path, _data("with references/")] = SHARED / "data",
    out: Out = Path("references.crfsuite"),
) -> None:
    """Train the reference model."""
    from portico.lab import training

    training.train_references(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("splitting")
def train_splitting(
    data: Annotated[Path, _data("with references/")] = SHARED / "data",
    out: Out = Path("splitting.crfsuite"),
) -> None:
    """Train the model that divides a reference section into references."""
    from portico.lab import training

    training.train_splitting(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("spider")
def train_spider(
    data: Annotated[Path, _data("with targets.json and sites/")] = SHARED / "web",
    task: Annotated[str, typer.Option(help="What to look for: papers, officers or contact.")] = "papers",
    out: Out = Path("spider.npz"),
) -> None:
    """Train the spider on mapped sites."""
    from portico.lab.measure_spider import train_spider as train

    out.write_bytes(train(data, task=task).to_bytes())
    typer.echo(f"Wrote {out}.")


@train_app.command("lexicon")
def train_lexicon(
    data: Annotated[Path, _data("with citations/bibtex.tar.xz")] = SHARED / "data",
    out: Out = Path("words.tsv"),
) -> None:
    """Learn which words are common in names, titles, places and publishers."""
    from portico.lab.lexicons import learn_lexicon

    n_words = learn_lexicon(data / "citations" / "bibtex.tar.xz", out)
    typer.echo(f"Wrote {out}: {n_words} words.")


@train_app.command("topics")
def train_topics(
    data: Annotated[Path, _data("with topics/arxiv_cs_pool.jsonl.xz")] = SHARED / "data",
    out: Out = Path("topics.words.gz"),
) -> None:
    """Learn the words of the default topic tree's leaves from unlabelled abstracts."""
    from portico.config.topics import read_topics
    from portico.domains.registry import domain_named
    from portico.lab.topics_training import train_background

    pool = data / "topics" / "arxiv_cs_pool.jsonl.xz"
    train_background(pool, read_topics(domain_named("papers").topics), out)
    typer.echo(f"Wrote {out}.")
