"""Papers as files that a browser searches without a server."""

from collections.abc import Iterable
from pathlib import Path

from portico.serve.escaping import visible
from portico.serve.papers import describing
from portico.serve.static_site.search_files import word_weights, write_static_files
from portico.types.record import Entity

# A word of the title or of a name says more of what a paper is than one of its abstract.
_WEIGHTS = (("title", 3.0), ("authors", 3.0), ("venue", 1.0), ("abstract", 1.0))


def write_paper_files(papers: Iterable[Entity], folder: Path) -> int:
    """Papers, and the words they have, into `folder`; how many papers."""
    return write_static_files(((_weights(paper), _shown(paper)) for paper in papers), folder)


def _weights(paper: Entity) -> dict[str, float]:
    """Logarithmic term frequencies, weighted by where the words stand."""
    texts = {
        "title": describing.title(paper),
        "authors": " ".join(describing.authors(paper)),
        "venue": describing.first_value(paper, describing.VENUE),
        "abstract": paper.value("abstract") or "",
    }
    year = describing.year(paper)
    return word_weights((texts[part], weight) for part, weight in _WEIGHTS) | (
        {f"year{year}": 1.0} if year else {}  # a word that nobody types, for spans of years
    )


def _shown(paper: Entity) -> list[object]:
    card = describing.card(paper)
    names = [author.text for author in card.authors]
    lead = "".join(piece.text for piece in card.snippet)
    texts = [visible(text) for text in (card.title, card.venue, card.year, lead)]
    return [paper.id, *texts, [visible(name) for name in names], card.n_more_authors, card.n_citations]
