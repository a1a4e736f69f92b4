"""Stage 5: all records to entities, citations and ranks; after a small change only what it touched."""

from collections.abc import Iterator
from dataclasses import dataclass

from portico.match import VERSION
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import Meter, StageReport
from portico.pipeline.run import Run
from portico.store.codec import decode
from portico.store.matches import State
from portico.store.opening import Store
from portico.types.record import Record
from portico.types.verdict import Verdict

STAGE = "match"

FEW = 0.05
"""Share of the documents up to which what changed is fitted in; beyond, comparing all is as fast."""

ALWAYS_FEW = 20
"""Documents that are fitted in however small the portal is."""


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
    due = _due(store, verdicts)
    with run.watcher.stage(STAGE, None) as meter:
        n_done = (_fit_in(store, due, meter) if due.is_small else None) or _match_all(store, due, meter)
        store.meta.set(STAGE, key)
        meter.advance(n_done)
    return StageReport(STAGE, n_done=n_done, seconds=run.clock() - started)


@dataclass(frozen=True, slots=True)
class _Due:
    """What the records are now, and how that differs from when they were last matched."""

    state: State
    verdicts: tuple[Verdict, ...]
    digests: dict[str, str]
    changed: dict[str, str]  # documents that are new, or say something else, with their digest
    gone: frozenset[str]
    decided: frozenset[tuple[str, str, bool]]  # verdicts that came or were withdrawn
    is_small: bool


def _due(store: Store, verdicts: tuple[Verdict, ...]) -> _Due:
    state = State.of(fingerprint(STAGE, VERSION), verdicts)
    last = store.matches.state()
    digests, before = store.results.digests("extract"), store.matches.documents()
    changed = {name: found for name, found in digests.items() if before.get(name) != found}
    gone = frozenset(before.keys() - digests.keys())
    decided = frozenset(state.verdicts) ^ frozenset(last.verdicts if last else ())
    few = max(ALWAYS_FEW, FEW * len(before))
    is_small = last is not None and last.method == state.method and len(changed) + len(gone) <= few
    return _Due(state, verdicts, digests, changed, gone, decided, is_small and bool(before))


def _fit_in(store: Store, due: _Due, meter: Meter) -> int | None:
    """Matches what the change touched; None where everything must be matched instead."""
    # Imported here and below: arrays take half a second to load, which a run without work need not spend.
    from portico.match.fitting import StartOver, fit_in

    meter.remark("comparing what changed")
    try:
        return fit_in(store, due.verdicts, _change(store, due), due)
    except StartOver:
        return None
