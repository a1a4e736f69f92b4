"""Figures of the lab: collected from its measures, shown as tables, written as JSON."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import typer

from portico.classify.background import read_background
from portico.classify.expected_words import read_company
from portico.classify.fields import read_fields
from portico.config.topics import read_topics
from portico.convert.converter import Converter
from portico.convert.sniffing import PEEK_BYTES, sniff_media_type
from portico.domains.registry import find_domain
from portico.extract.extractor import load_extractor
from portico.lab.faithful.hmm_headers import format_hmm_tables, write_merging
from portico.lab.measures.headers import measure_headers
from portico.lab.measures.matching import measure_matching, write_matching_chart
from portico.lab.measures.outsiders import measure_outsiders
from portico.lab.measures.papers import ALL, ConvertFile, Extract, measure_papers, run_papers
from portico.lab.measures.spider import SpiderStudy, measure_spider
from portico.lab.measures.spider_report import format_spider_table, write_spider_plots
from portico.lab.measures.topic_trees import measure_topic_trees
from portico.lab.measures.topics import ShippedTopics, TopicQuestion, measure_topics, write_topic_plots
from portico.lab.training.calibration import drop_bins, write_reliability
from portico.pipeline.topics.topic_texts import make_topic_text
from portico.types.document import Document, DocumentId
from portico.types.topic import TopicText

Figures = Mapping[str, Any]
PAPER_SETS = ("excite", "wild_pdf")  # whose files are asked for as outsiders


def show_figures(figures: Figures, path: Path | None) -> None:
    """Prints one line a measured thing; with a path, the same as JSON."""
    for line in describe_figures(figures):
        typer.echo(line)
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")


def describe_figures(figures: Figures, names: tuple[str, ...] = ()) -> Iterator[str]:
    """Nested figures as lines: the names that lead to them, then the figures themselves."""
    plain = {name: value for name, value in figures.items() if not isinstance(value, Mapping)}
    if plain:
        shown = "  ".join(f"{name} {_number(value)}" for name, value in plain.items())
        yield f"{' / '.join(names):<42}  {shown}".rstrip()
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from describe_figures(value, (*names, name))


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "–" if value is None else str(value)


def show_spider(data: Path, study: SpiderStudy, path: Path | None, plots: Path | None) -> None:
    """Prints one line a policy as soon as it is measured, then the figures beside the papers'."""
    report = measure_spider(data, replace(study, progress=lambda line: typer.echo(line, err=True)))
    for line in format_spider_table(report.figures):
        typer.echo(line)
    if path is not None:
        path.write_text(json.dumps(report.figures, indent=1), encoding="utf-8")
    if plots is not None:
        for drawn in write_spider_plots(report.curves, plots):
            typer.echo(f"Drew {drawn}.")


def show_headers(data: Path, path: Path | None, plots: Path | None, *, quick: bool) -> None:
    """Prints the scores by both protocols, then the papers' tables with our figures beside theirs."""
    figures = measure_headers(data, quick=quick, progress=lambda line: typer.echo(line, err=True))
    shown = {name: figures[name] for name in ("A", "B")} | {"calibration": drop_bins(figures["calibration"])}
    for line in (*describe_figures(shown), *format_hmm_tables(figures["hmm"])):
        typer.echo(line)
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if plots is not None:
        typer.echo(f"Drew {write_merging(figures['hmm'], plots)}.")
        typer.echo(f"Drew {write_reliability(figures['calibration'], plots)}.")


def show_papers(data: Path, path: Path | None, plots: Path | None, *, limit: int | None) -> None:
    """Prints the scores set by set, then whether the probabilities of fields are what they say."""
    figures = _paper_figures(data, limit=limit)
    calibration = figures[ALL]["calibration"]
    shown = {**figures, ALL: {**figures[ALL], "calibration": drop_bins(calibration)}}
    for line in describe_figures(shown):
        typer.echo(line)
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if plots is not None:
        typer.echo(f"Drew {write_reliability(calibration, plots)}.")


def _paper_figures(data: Path, *, limit: int | None) -> Figures:
    """From file to record, with the shipped converter and models."""
    domain = find_domain("papers")
    fields = read_fields((domain.models / domain.research_fields).read_bytes())
    with _prepare_reading() as (convert, extract):
        return measure_papers(data, convert=convert, extract=extract, limit=limit, fields=fields)


@contextmanager
def _prepare_reading() -> Iterator[tuple[ConvertFile, Extract]]:
    """The shipped converter and extractor, for files."""
    # The files were chosen by people, as those of a folder are: none is refused as no paper.
    extract = replace(load_extractor(find_domain("papers")), is_choosy=False)
    with Converter() as converter:

        def convert(path: Path) -> Document:
            body = path.read_bytes()
            return converter(
                body,
                media_type=sniff_media_type(body[:PEEK_BYTES], name=path.name),
                name=path.name,
                document_id=DocumentId(sha256(body).hexdigest()),
            )

        yield convert, extract


def show_outsiders(data: Path, path: Path | None) -> None:
    """Prints which share of papers of other fields is given no topic of the shipped tree, set by set."""
    domain = find_domain("papers")
    shipped = read_fields((domain.models / domain.research_fields).read_bytes())
    texts: dict[str, list[TopicText]] = {}
    with _prepare_reading() as (convert, extract):
        for name in PAPER_SETS:
            for outcome in run_papers(data / "papers" / name, convert=convert, extract=extract)[name]:
                if outcome.records:
                    field = f": {outcome.truth.field}" if outcome.truth.field else ""
                    text = make_topic_text("", outcome.records)
                    texts.setdefault(f"{name}{field}", []).append(text)
    show_figures(measure_outsiders(data, read_topics(domain.topics), shipped, texts), path)


def show_topic_trees(data: Path, path: Path | None, *, quick: bool) -> None:
    """Prints the figures of every tree and size, and what all of them teach of confidence."""
    domain = find_domain("papers")
    trees = {tree.name: read_topics(tree.file) for tree in domain.trees}
    shipped = _read_shipped_topics()
    figures = measure_topic_trees(
        data, trees, shipped, quick=quick, tell=lambda line: typer.echo(line, err=True)
    )
    show_figures(figures, path)


def _read_shipped_topics() -> ShippedTopics:
    domain = find_domain("papers")
    return ShippedTopics(
        read_background(domain.topic_words.read_bytes()),
        read_fields((domain.models / domain.research_fields).read_bytes()),
        read_company((domain.models / domain.word_vectors).read_bytes()),
    )


def show_topics(question: TopicQuestion, path: Path | None, plots: Path | None) -> None:
    """Prints one line a model, the papers' figures beside ours.

    A tree without keywords gets those that ship, and what is known of its leaves.
    """
    default_tree = read_topics(find_domain("papers").topics)
    figures = measure_topics(question, default_tree=default_tree, shipped=_read_shipped_topics())
    show_figures({name: _without_bins(figures[name]) for name in figures}, None)
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if plots is not None:
        for drawn in write_topic_plots(figures, plots):
            typer.echo(f"Drew {drawn}.")


def _without_bins(figures: Figures) -> Figures:
    return {name: value for name, value in figures.items() if name != "bins"}


def show_matching(data: Path, path: Path | None, plots: Path | None, *, quick: bool) -> None:
    """Prints the scores of every method beside published ones; with a folder, draws them over thresholds."""
    show_figures(measure_matching(data, quick=quick), path)
    if plots is not None:
        typer.echo(f"Drew {write_matching_chart(data, plots, quick=quick)}.")
