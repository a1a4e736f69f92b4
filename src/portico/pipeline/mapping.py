"""Stages that treat one document at a time: what is due, do it, keep it."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from portico.engine.work import Item, Job, Outcome
from portico.pipeline.keys import fingerprint
from portico.pipeline.progress import Clock, StageReport
from portico.pipeline.run import Run
from portico.store.opening import Store
from portico.store.results import Done, Failed

# Results are written together, since a commit costs about as much as a small document: at most so
# many at once, and none waits longer than this. What a kill loses is done again.
BATCH = 16
BATCH_S = 1.0


@dataclass(frozen=True, slots=True)
class Input:
    """One document to treat: `digest` changes when its content does, `source` is for people."""

    subject: str
    digest: str
    source: str


@dataclass(frozen=True, slots=True)
class MapStage:
    """A stage of one document at a time; `maker` names the stage's version, model and options."""

    name: str
    maker: str
    job: Callable[[], Job]  # only made, and its modules loaded, where something is due
    inputs: Callable[[], Iterable[Input]]
    payload: Callable[[Input], Any]
    elsewhere: Callable[[], Collection[str]] = frozenset  # subjects whose results others write: left alone


def run_map(stage: MapStage, store: Store, run: Run) -> StageReport:
    """Brings the stage's results up to date; finished work is recognized by its key and left alone."""
    inputs = {each.subject: each for each in stage.inputs()}
    keys = {subject: fingerprint(stage.name, stage.maker, each.digest) for subject, each in inputs.items()}
    known = store.results.keys(stage.name)
    others = stage.elsewhere()
    gone = [subject for subject in known if subject not in inputs and subject not in others]
    if gone:
        store.results.drop(stage.name, gone)
    due = sorted(subject for subject, key in keys.items() if known.get(subject) != key)
    started = run.clock()
    n_failed = 0
    if due:
        with run.watcher.stage(stage.name, len(due)) as meter:
            items = (Item(subject, stage.payload(inputs[subject])) for subject in due)
            for batch in _batches(run.engine.map(stage.job(), items), run.clock):
                rows = [_row(outcome, keys, inputs, run.clock()) for outcome in batch]
                store.results.put_many(stage.name, rows)
                failed = sum(outcome.flaw is not None for outcome in batch)
                n_failed += failed
                meter.advance(len(batch) - failed, n_failed=failed)
    return StageReport(
        stage.name,
        n_done=len(due) - n_failed,
        n_failed=n_failed,
        n_fresh=len(inputs) - len(due),
        n_dropped=len(gone),
        seconds=run.clock() - started,
    )


def _batches(outcomes: Iterator[Outcome], clock: Clock) -> Iterator[list[Outcome]]:
    batch: list[Outcome] = []
    since = clock()
    for outcome in outcomes:
        batch.append(outcome)
        if len(batch) == BATCH or clock() - since >= BATCH_S:
            yield batch
            batch, since = [], clock()
    if batch:
        yield batch


def _row(outcome: Outcome, keys: dict[str, str], inputs: dict[str, Input], now: float) -> Done | Failed:
    subject, key = outcome.subject, keys[outcome.subject]
    if outcome.flaw is None:
        assert outcome.value is not None, "an outcome has a value or a flaw"
        return Done(subject, key, outcome.value, outcome.seconds, now)
    flaw = outcome.flaw
    return Failed(
        subject,
        key,
        source=inputs[subject].source,
        kind=flaw.kind,
        # The row names the source; without it in the reason, equal reasons can be counted together.
        reason=flaw.reason.removeprefix(f"{inputs[subject].source}: "),
        seconds=outcome.seconds,
        at=now,
        detail=flaw.detail,
        passing=flaw.retryable,
    )
