"""Stage 5: all records to entities, citations and ranks."""

from collections.abc import Iterator

from portico.match import VERSION
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.store.codec import decode
from portico.store.opening import Store
from portico.types.record import Record

STAGE = "match"


def match_stage(portal: Portal, run: Run) -> StageReport:
    """Matches again when any record changed or the builder decided something by hand.

    One transaction makes the new graph visible.
    """
    store = portal.store
    verdicts = store.verdicts.all()
    decided = [f"{each.one} {each.other} {each.same}" for each in verdicts]
    decided += store.corrections.digest_parts()
    key = fingerprint(STAGE, VERSION, store.results.digest_of("extract"), *decided)
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE, n_fresh=store.catalog.counts().n_held)
    started = run.clock()
    with run.watcher.stage(STAGE, None) as meter:
        # Imported here: arrays take half a second to load, which a run without work need not spend.
        from portico.match.matcher import match

        meter.remark("comparing records")
        entities, citations = match(_records(store), verdicts=verdicts)
        meter.remark("writing the citation graph")
        store.catalog.replace_graph(entities, citations)
        store.meta.set(STAGE, key)
        meter.advance(len(entities))
    return StageReport(STAGE, n_done=len(entities), seconds=run.clock() - started)


def _records(store: Store) -> Iterator[Record]:
    """Every record but those the builder found to be of no paper."""
    others = store.corrections.not_papers()
    for subject, _digest, payload in store.results.payloads("extract"):
        if subject not in others:
            yield from (record for record in decode(tuple[Record, ...], payload) if record.id not in others)
