"""Stage 5, after topics are assigned: ranks seminal papers and surveys in each topic."""

from collections import defaultdict
from collections.abc import Iterator

from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import PLACED_GRAPH, BuildRun, CollectionStage, StageWork, run_collection_stage
from portico.store.catalog.topics import TopicRank
from portico.store.opening import Store
from portico.types.record import EntityId
from portico.types.stages import StageName

VERSION = 1

Path = tuple[str, ...]


def run_ranks(portal: Portal, run: BuildRun) -> StageReport:
    """Rank the papers of every topic again after papers, citations or topics changed."""
    store = portal.store

    def rank(meter: StageProgress) -> StageWork:
        n_changed = store.catalog.topics.replace_ranks(_compute_ranks(store))
        meter.advance(n_changed)
        return StageWork(n_changed)

    stage = CollectionStage(StageName.RANKS, (VERSION,), PLACED_GRAPH, rank)
    return run_collection_stage(stage, store, run)


def _compute_ranks(store: Store) -> Iterator[TopicRank]:
    # Imported here: arrays take a quarter of a second to load, which a run without work need not spend.
    from portico.match.graph import rank_within

    places = store.view.topics.places()
    papers: dict[Path, list[EntityId]] = defaultdict(list)
    for paper, place in places.items():
        for depth in range(1, len(place) + 1):
            papers[place[:depth]].append(paper)
    links = _group_links(store, places)
    for path in sorted(links):
        for paper, (_, authority, hub, _) in rank_within(papers[path], links[path]).items():
            if authority or hub:
                yield TopicRank("/".join(path), paper, authority, hub)


def _group_links(store: Store, places: dict[EntityId, Path]) -> dict[Path, list[tuple[EntityId, EntityId]]]:
    """Group citations by topic; a citation counts for every topic that both papers share."""
    links: dict[Path, list[tuple[EntityId, EntityId]]] = defaultdict(list)
    for citation in store.catalog.citations.all():
        ends = (citation.citing, citation.cited)
        if citation.citing != citation.cited and all(end in places for end in ends):
            one, other = (places[end] for end in ends)
            for depth in range(1, min(len(one), len(other)) + 1):
                if one[:depth] != other[:depth]:
                    break
                links[one[:depth]].append(ends)
    return links
