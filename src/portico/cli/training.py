"""Commands for researchers: retrain the shipped models."""

from pathlib import Path
from typing import Annotated

import typer

from portico.cli.measuring import SHARED, Out, name_data

train_app = typer.Typer(
    help="Retrain a model from labelled data.", rich_markup_mode=None, no_args_is_help=True
)


@train_app.command("headers")
def train_headers(
    data: Annotated[Path, name_data("with headers/")] = SHARED / "data",
    out: Out = Path("headers.zip"),
    portal: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            metavar="PORTAL",
            help="Learn from this portal's accepted corrections, for this portal.",
        ),
    ] = None,
) -> None:
    """Train the header model, on labelled headers or on a portal's accepted corrections.

    For a portal, corrected titles, authors and abstracts are located on their pages, and a model of these
    headers is added to the shipped ones. It is tested on corrected headers held out of training and on others
    that were read with certainty, and kept only if more values are right than before. The next build reads
    everything again with it; remove models/headers.zip from the portal to go back.

    \b
      portico train headers --corrections my-portal
      portico train headers --data data --out headers.zip     the shipped model
    """
    if portal is not None:
        from portico.cli.lessons import learn_corrected

        typer.echo(learn_corrected(portal))
        return
    from portico.lab.training import taggers

    taggers.train_headers(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("references")
def train_references(
    data: Annotated[Path, name_data("with references/")] = SHARED / "data",
    out: Out = Path("references.zip"),
) -> None:
    """Train the reference model."""
    from portico.lab.training import taggers

    taggers.train_references(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("calibration")
def train_calibration(
    data: Annotated[Path, name_data("with headers/ and references/")] = SHARED / "data",
    out: Out = Path("calibration.json"),
) -> None:
    """Calibrate field probabilities on records their models were not trained on."""
    from portico.lab.training.calibration import train_calibrations

    train_calibrations(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("splitting")
def train_splitting(
    data: Annotated[Path, name_data("with references/")] = SHARED / "data",
    out: Out = Path("splitting.crfsuite"),
) -> None:
    """Train the model that splits a reference section into references."""
    from portico.lab.training import taggers

    taggers.train_splitting(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("zones")
def train_zones(
    data: Annotated[Path, name_data("with headers/grobid/")] = SHARED / "data",
    out: Out = Path("zones.crfsuite"),
) -> None:
    """Train the model that labels the zones of a document, line by line."""
    from portico.lab.measures import sections

    sections.train_zones(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("spider")
def train_spider(
    data: Annotated[Path | None, name_data("with targets.json and sites/")] = None,
    task: Annotated[str, typer.Option(help="What to look for: papers, officers or contact.")] = "papers",
    out: Out = Path("spider.npz"),
    portals: Annotated[
        list[Path],
        typer.Option(
            "--from",
            metavar="PORTAL",
            help="Add what this portal's own crawl teaches; the portal then uses the model. May be repeated.",
        ),
    ] = [],  # noqa: B006 typer copies it
    policy: Annotated[
        str, typer.Option(help="For which [spider] policy: learned, or a published one such as future-4.")
    ] = "learned",
) -> None:
    """Train the spider on mapped sites, on the crawls of portals, or on both.

    What crawls teach is added to the shipped model. With --data, too, the model learns from all these sites
    alone.

    \b
      portico train spider --data web --out spider.npz
      portico train spider --from my-portal --from another-portal
      portico train spider --from my-portal --data web
      portico train spider --policy future --data web --out my-portal/models/spider-future.npz
    """
    from portico.lab.measures.spider import train_spider as train

    def tell(line: str) -> None:
        typer.echo(line, err=True)

    if policy != "learned":
        _train_bayes(data or SHARED / "web", policy, task, out, portals)
        return
    if not portals:
        out.write_bytes(train(data or SHARED / "web", task=task, progress=tell).to_bytes())
        typer.echo(f"Wrote {out}.")
        return
    from portico.crawl.policies.training import make_site_examples
    from portico.lab.datasets.webs import read_link_words, read_sites
    from portico.pipeline.teaching.spider_training import train_portal_spiders

    others = []
    if data is not None:
        others = [*map(make_site_examples, read_sites(data, task, tell=tell)), *read_link_words(task)]
    for path in train_portal_spiders(portals, others):
        typer.echo(
            f"Wrote {path}: the next crawl of this portal uses it. Remove the file to return to the shipped "
            "one."
        )


def _train_bayes(data: Path, policy: str, task: str, out: Path, portals: list[Path]) -> None:
    from portico.crawl.policies.trained import BAYES
    from portico.lab.faithful.bayes_spiders import train_bayes

    if policy not in BAYES:
        allowed = ", ".join(("learned", *BAYES))
        raise typer.BadParameter(f"{policy!r}; allowed: {allowed}", param_hint="--policy")
    if portals:
        raise typer.BadParameter("only the learned policy learns from a portal", param_hint="--from")
    model = train_bayes(data, policy, task=task, progress=lambda line: typer.echo(line, err=True))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(model.to_bytes())
    typer.echo(f"Wrote {out}.")


@train_app.command("lexicon")
def train_lexicon(
    data: Annotated[Path, name_data("with citations/bibtex.tar.xz")] = SHARED / "data",
    out: Out = Path("words.tsv"),
) -> None:
    """Learn which words are common in names, titles, places and publishers."""
    from portico.lab.training.lexicons import learn_lexicon

    n_words = learn_lexicon(data / "citations" / "bibtex.tar.xz", out)
    typer.echo(f"Wrote {out}: {n_words} words.")


@train_app.command("research-fields")
def train_research_fields(
    data: Annotated[Path, name_data("with fields/ and topics/")] = SHARED / "data",
    out: Out = Path("fields.npz"),
) -> None:
    """Train the model of research fields from abstracts, a taxonomy and journal names."""
    from portico.lab.training.research_fields import train_fields

    train_fields(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("word-vectors")
def train_word_vectors(
    data: Annotated[Path, name_data("with fields/ and topics/")] = SHARED / "data",
    out: Out = Path("word-vectors.npz"),
) -> None:
    """Learn which words occur together in titles and abstracts of all sciences."""
    from portico.lab.training.word_company import train_company

    train_company(data, out)
    typer.echo(f"Wrote {out}.")


@train_app.command("topics")
def train_topics(
    data: Annotated[Path, name_data("with topics/arxiv_cs_pool.jsonl.xz, and fields/")] = SHARED / "data",
    out: Out = Path("topics.words.gz"),
    tree: Annotated[str, typer.Option(help="The shipped tree to train for.")] = "computer-science",
) -> None:
    """Learn the word statistics of a shipped topic tree from abstracts."""
    from portico.config.topics import read_topics
    from portico.domains.registry import find_domain
    from portico.lab.training.research_fields import train_sciences
    from portico.lab.training.topic_background import train_background

    trees = {each.name: each.file for each in find_domain("papers").trees}
    if tree not in trees:
        raise typer.BadParameter(f"{tree!r}; allowed: {', '.join(trees)}", param_hint="--tree")
    topics = read_topics(trees[tree])
    if tree == "all-sciences":
        train_sciences(data, topics, out)
    else:
        train_background(data / "topics" / "arxiv_cs_pool.jsonl.xz", topics, out)
    typer.echo(f"Wrote {out}.")
