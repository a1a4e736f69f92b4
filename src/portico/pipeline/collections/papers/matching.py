"""Stage 5: matches records to papers, citations and ranks; after a small change only what it affects."""

from collections.abc import Mapping, Sequence

from portico.config.settings import DEFAULT_METHOD, WORDS
from portico.engine.work import Engine
from portico.match import VERSION
from portico.pipeline.documents.catalog_answers import digest_enriched
from portico.pipeline.losses import check_lost_papers
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageProgress, StageReport
from portico.pipeline.runners import BuildRun, CollectionStage, StageWork, fingerprint, run_collection_stage
from portico.store.catalog.matches import Basis
from portico.types.correction import Verdict
from portico.types.record import RecordId
from portico.types.stages import StageName

FEW = 0.05
"""Maximum share of changed documents that are matched incrementally; beyond it, comparing all is as fast."""

ALWAYS_FEW = 20
"""Number of documents that are always matched incrementally, however small the portal is."""


def match_papers(portal: Portal, run: BuildRun) -> StageReport:
    """Match again if any record changed or the builder decided something by hand.

    One transaction makes the new graph visible.
    """
    store = portal.store
    verdicts = store.contributions.corrections.verdicts()
    decided = [f"{each.one} {each.other} {each.same}" for each in verdicts]
    decided += store.contributions.corrections.decided()
    digests = digest_enriched(store)

    def match(meter: StageProgress) -> StageWork:
        check_lost_papers(store, digests, run)
        store.catalog.staleness.note_change()  # the index is stale until its own stage
        n_done = _match(portal, verdicts, digests, run.engine, meter)
        meter.advance(n_done)
        return StageWork(n_done)

    parts = (
        VERSION,
        *_name_method(portal),
        *decided,
        *(f"{name} {digests[name]}" for name in sorted(digests)),
    )
    stage = CollectionStage(
        StageName.MATCH, parts, (), match, count_fresh=lambda: store.catalog.counts().n_held
    )
    return run_collection_stage(stage, store, run)


def _match(
    portal: Portal,
    verdicts: tuple[Verdict, ...],
    digests: Mapping[str, str],
    engine: Engine,
    meter: StageProgress,
) -> int:
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.pipeline.collections.papers.relinking import (
        MatchSpace,
        MatchWork,
        match_all,
        match_changes,
    )

    store = portal.store
    # Accepted corrections have been applied to what is served; withdrawn ones require matching again.
    method = fingerprint(
        StageName.MATCH, VERSION, *_name_method(portal), *store.contributions.corrections.decided()
    )
    by_words = portal.settings.match.method == WORDS
    whole = Basis(method, _decisions(verdicts), digests)
    last = store.catalog.matches.basis()
    if last is not None and last.method == whole.method and not by_words:
        part = _part(whole, last)
        if len(part.digests) + len(part.gone) <= max(ALWAYS_FEW, FEW * len(last.digests)):
            decided = {*whole.verdicts} ^ {*last.verdicts}
            names = frozenset(RecordId(name) for one, other, _ in decided for name in (one, other))
            n_done = match_changes(store, MatchWork(part, verdicts, names), meter.status)
            if n_done is not None:
                return n_done
    space = MatchSpace(portal.memory, portal.places.spill, engine)
    return match_all(store, MatchWork(whole, verdicts, frozenset(), by_words), space, meter.status)


def _name_method(portal: Portal) -> tuple[str, ...]:
    """The method, unless it is the default, whose results are stored without a name."""
    method = portal.settings.match.method
    return (method,) if method != DEFAULT_METHOD else ()


def _part(whole: Basis, last: Basis) -> Basis:
    """What changed since the last matching."""
    changed = {name: found for name, found in whole.digests.items() if last.digests.get(name) != found}
    return Basis(whole.method, whole.verdicts, changed, frozenset(last.digests.keys() - whole.digests.keys()))


def _decisions(verdicts: Sequence[Verdict]) -> tuple[tuple[str, str, bool], ...]:
    return tuple(sorted((each.one, each.other, each.same) for each in verdicts))
