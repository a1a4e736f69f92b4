"""Stage 5, after papers have their places: who is seminal in each topic, and who surveys it."""

from collections import defaultdict
from collections.abc import Iterator

from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.store.opening import Store
from portico.store.topic_ranks import TopicRank
from portico.types.record import EntityId

STAGE = "ranks"
VERSION = 1

Path = tuple[str, ...]


def topic_rank_stage(portal: Portal, run: Run) -> StageReport:
    """Ranks the papers of every topic anew when papers, citations or topics changed."""
    store = portal.store
    below = (store.meta.get(stage) for stage in ("match", "classify", "place"))
    key = fingerprint(STAGE, VERSION, *below)
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE)
    started = run.clock()
    with run.watcher.stage(STAGE, None) as meter:
        n_changed = store.topic_ranks.replace(_ranks(store))
        store.meta.set(STAGE, key)
        meter.advance(n_changed)
    return StageReport(STAGE, n_done=n_changed, seconds=run.clock() - started)


def _ranks(store: Store) -> Iterator[TopicRank]:
    # Imported here: ranking loads arrays, which a run without work need not wait for.
    from portico.match.graph import ranks_within

    places = store.view.topics.places()
    papers: dict[Path, list[EntityId]] = defaultdict(list)
    for paper, place in places.items():
        for depth in range(1, len(place) + 1):
            papers[place[:depth]].append(paper)
    links = _links_within(store, places)
    for path in sorted(links):
        for paper, (_, authority, hub, _) in ranks_within(papers[path], links[path]).items():
            if authority or hub:
                yield TopicRank("/".join(path), paper, authority, hub)


def _links_within(store: Store, places: dict[EntityId, Path]) -> dict[Path, list[tuple[EntityId, EntityId]]]:
    """Who cites whom at each topic or below it: a citation counts as far up as both have topics in common."""
    links: dict[Path, list[tuple[EntityId, EntityId]]] = defaultdict(list)
    for citation in store.catalog.citations():
        ends = (citation.citing, citation.cited)
        if citation.citing != citation.cited and all(end in places for end in ends):
            one, other = (places[end] for end in ends)
            for depth in range(1, min(len(one), len(other)) + 1):
                if one[:depth] != other[:depth]:
                    break
                links[one[:depth]].append(ends)
    return links
