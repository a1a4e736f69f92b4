"""Suggestions while typing: papers, authors and topics."""

from collections.abc import Iterator, Sequence

from portico.index.engine_query import SearchScope
from portico.serve.collection import SuggestedPage
from portico.serve.links import make_author_url, make_paper_url, make_topic_url
from portico.serve.papers.describing import show_name
from portico.serve.portal import ServedPortal
from portico.text.names import fold, parse_name
from portico.text.words import split_words

_MOST_PAPERS, _MOST_AUTHORS, _MOST_TOPICS = 4, 2, 2
_SHORTEST = 3  # minimum letters before pages are suggested
_LOOKED_AT = 12  # matching papers and people considered, of which the best are suggested
_NOT_IN_NAMES = frozenset(':"()*<>')


def suggest_pages(portal: ServedPortal, typed: str) -> Sequence[SuggestedPage]:
    """Papers, authors and topics that somebody may be looking for who typed this; none if it names a
    field or is too short.
    """
    words = typed.strip()
    if len(words) < _SHORTEST or _NOT_IN_NAMES & set(words):
        return ()
    return (
        *_suggest_papers(portal, words),
        *_suggest_authors(portal, words),
        *_suggest_topics(portal, words),
    )


def _suggest_papers(portal: ServedPortal, words: str) -> Iterator[SuggestedPage]:
    searcher, sought = portal.index.current(), " ".join(split_words(words))
    if searcher is None or not sought:
        return
    found = searcher.search(f"title:({words}*)", within=SearchScope(held=True), limit=_LOOKED_AT)
    fitting = [hit for hit in found.hits if sought in " ".join(split_words(hit.shown.title))]
    for hit in fitting[:_MOST_PAPERS]:
        yield SuggestedPage("paper", hit.shown.title, make_paper_url(hit.entity))


def _suggest_authors(portal: ServedPortal, words: str) -> Iterator[SuggestedPage]:
    name = parse_name(words)
    people = portal.view.authors.begin_with(name.key, limit=_LOOKED_AT)
    begun = [fold(part).strip(".") for part in name.given]
    fitting = [each for each in people if _are_begun(begun, fold(each.name).split())]
    for each in fitting[:_MOST_AUTHORS]:
        yield SuggestedPage("author", show_name(each.name), make_author_url(each.id))


def _are_begun(begun: Sequence[str], parts: Sequence[str]) -> bool:
    return all(any(part.startswith(one) for part in parts) for one in begun)


def _suggest_topics(portal: ServedPortal, words: str) -> Iterator[SuggestedPage]:
    sought = f" {' '.join(split_words(words))}"
    nodes = (node for node in portal.overview.get().tree if node.n_papers)
    fitting = [node for node in nodes if sought in f" {' '.join(split_words(node.path[-1]))}"]
    for node in sorted(fitting, key=lambda node: -node.n_papers)[:_MOST_TOPICS]:
        yield SuggestedPage("topic", node.path[-1], make_topic_url(node.path))
