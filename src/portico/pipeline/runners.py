"""Runs the two kinds of stages: those that work item by item, and those over the whole collection."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from portico.engine.work import Engine, ItemOutcome, Job, WorkItem
from portico.pipeline.progress import Clock, Confirm, Progress, StageProgress, StageReport, refuse
from portico.store.documents.failures import SET_ASIDE
from portico.store.documents.results import Done, Failed
from portico.store.opening import Store
from portico.types.record import EntityId
from portico.types.stages import StageName


@dataclass(frozen=True, slots=True)
class BuildRun:
    """What every stage is given; nothing in it is specific to one portal."""

    engine: Engine
    progress: Progress
    clock: Clock
    forget: bool = False  # remove papers even if a whole folder has become empty
    refresh: bool = False  # revisit every page
    confirm: Confirm = refuse  # called before much of what the portal shows is lost
    keep_seals: Callable[[], None] = lambda: None  # called between transactions, to seal what was written


def fingerprint(*parts: object) -> str:
    """Hash the parts; they are delimited, so ("ab", "c") differs from ("a", "bc")."""
    whole = sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        whole.update(len(data).to_bytes(8, "big"))
        whole.update(data)
    return whole.hexdigest()[:32]


# Results are written together, because a commit costs about as much as a small document: at most this many at
# once, after at most this time. What a kill loses is done again.
BATCH = 16
BATCH_S = 1.0

SLOW_S = 5.0
"""If an item takes longer, the reason why the stage may be slow is shown, because people may wonder."""

PLACED_GRAPH = (StageName.MATCH, StageName.CLASSIFY, StageName.PLACE)
"""The stages that make entities, citations and places in the topic tree, which ranks, authors and the index
depend on."""


@dataclass(frozen=True, slots=True)
class ItemInput:
    """One document to process: `digest` changes with its content, `source` is for messages."""

    subject: str
    digest: str
    source: str


MakePayload = Callable[[ItemInput], Any]
"""Makes the payload that a worker gets for an input."""


@dataclass(frozen=True, slots=True)
class ItemStage:
    """A stage that processes one document at a time; `maker` names its version, model and options."""

    name: StageName
    maker: str
    inputs: Callable[[], Iterable[ItemInput]]
    prepare: Callable[[], tuple[Job, MakePayload]]  # called only if something is due
    leaves_records: bool = False  # results of imported records are there too, and left alone
    slow_because: str = ""  # shown beside the bar once an item has taken long


@dataclass(frozen=True, slots=True)
class StageWork:
    """The result of a stage over the whole collection."""

    n_done: int
    n_dropped: int = 0
    note: str = ""  # what the builder should know


@dataclass(frozen=True, slots=True)
class CollectionStage:
    """A stage over the whole collection, due when a part of its key or an earlier stage has changed.

    `work` is called if the stage is due. It advances the meter, writes its results, and returns how many they
    are, or None if it could not be done yet.
    """

    name: StageName
    parts: tuple[object, ...]  # what it depends on besides other stages: its version, options, digests
    after: tuple[StageName, ...]  # the whole-collection stages that it depends on
    work: Callable[[StageProgress], StageWork | None]
    count_fresh: Callable[[], int] = int  # number of results if nothing is due
    is_sound: bool = True  # False if earlier results are lost or damaged

    def key(self, store: Store) -> str:
        """A hash that changes with anything that the stage depends on."""
        return fingerprint(self.name, *self.parts, *(store.meta.get(stage) for stage in self.after))


def run_collection_stage(stage: CollectionStage, store: Store, run: BuildRun) -> StageReport:
    """Run the stage unless its key equals that of the finished work recorded in the store.

    The key is written last, so that work interrupted by a kill is done again.
    """
    key = stage.key(store)
    if store.meta.get(stage.name) == key and stage.is_sound:
        return StageReport(stage.name, n_fresh=stage.count_fresh())
    started = run.clock()
    with run.progress.stage(stage.name, None) as meter:
        done = stage.work(meter)
        if done is not None:
            store.meta.set(stage.name, key)
    is_finished = done is not None
    done = done or StageWork(0)
    return StageReport(
        stage.name,
        is_finished=is_finished,
        n_done=done.n_done,
        n_dropped=done.n_dropped,
        seconds=run.clock() - started,
        note=done.note,
    )


def read_unseen_papers(store: Store, stage: StageName, scope: str) -> frozenset[EntityId] | None:
    """The papers that changed since the stage was last done; None if it must process all papers.

    `scope` identifies what the stage depends on besides papers and earlier stages.
    """
    return store.catalog.unseen.read(stage, scope) if store.meta.get(stage) is not None else None


def run_item_stage(stage: ItemStage, store: Store, run: BuildRun) -> StageReport:
    """Bring the stage's results up to date; finished work is recognized by its key and skipped."""
    inputs = {each.subject: each for each in stage.inputs()}
    keys = {subject: fingerprint(stage.name, stage.maker, each.digest) for subject, each in inputs.items()}
    known = store.documents.results.keys(stage.name, records=not stage.leaves_records)
    gone = [subject for subject in known if subject not in inputs]
    if gone:
        store.documents.results.drop(stage.name, gone)
    due = sorted(subject for subject, key in keys.items() if known.get(subject) != key)
    started = run.clock()
    n_failed = n_set_aside = 0
    if due:
        with run.progress.stage(stage.name, len(due)) as meter:
            job, make_payload = stage.prepare()
            items = (WorkItem(subject, make_payload(inputs[subject])) for subject in due)
            for batch in _group_batches(run.engine.map(job, items), run.clock):
                rows = [_make_row(outcome, keys, inputs, run.clock()) for outcome in batch]
                store.documents.results.put_many(stage.name, rows)
                run.keep_seals()
                kinds = [outcome.error.kind for outcome in batch if outcome.error is not None]
                failed = sum(kind != SET_ASIDE for kind in kinds)
                if stage.slow_because and any(outcome.seconds > SLOW_S for outcome in batch):
                    meter.status(stage.slow_because)
                n_failed, n_set_aside = n_failed + failed, n_set_aside + len(kinds) - failed
                meter.advance(len(batch) - failed, n_failed=failed)
    return StageReport(
        stage.name,
        n_done=len(due) - n_failed - n_set_aside,
        n_failed=n_failed,
        n_set_aside=n_set_aside,
        n_fresh=len(inputs) - len(due),
        n_dropped=len(gone),
        seconds=run.clock() - started,
    )


def _group_batches(outcomes: Iterator[ItemOutcome], clock: Clock) -> Iterator[list[ItemOutcome]]:
    batch: list[ItemOutcome] = []
    since = clock()
    for outcome in outcomes:
        batch.append(outcome)
        if len(batch) == BATCH or clock() - since >= BATCH_S:
            yield batch
            batch, since = [], clock()
    if batch:
        yield batch


def _make_row(
    outcome: ItemOutcome, keys: dict[str, str], inputs: dict[str, ItemInput], now: float
) -> Done | Failed:
    subject, key = outcome.subject, keys[outcome.subject]
    if outcome.error is None:
        assert outcome.value is not None, "an outcome has a value or a flaw"
        return Done(subject, key, outcome.value, outcome.seconds, now)
    flaw = outcome.error
    return Failed(
        subject,
        key,
        source=inputs[subject].source,
        kind=flaw.kind,
        # The row names the source already; without it, equal reasons can be counted together.
        reason=flaw.reason.removeprefix(f"{inputs[subject].source}: "),
        seconds=outcome.seconds,
        at=now,
        detail=flaw.detail,
        passing=flaw.retryable,
    )
