"""Verifies that store, bodies and index agree, and drops what is wrong so that a build restores it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path

from portico.errors import PortalError
from portico.files import find_damaged_models, forget_model, write_whole
from portico.index.files import find_damaged_files
from portico.index.writer import list_indexed_ids
from portico.pipeline.indexing import GENERATION, written_files
from portico.pipeline.mending import match_again, mend_rows
from portico.pipeline.opening import open_for_building, open_portal
from portico.pipeline.portal import Portal
from portico.pipeline.progress import count_things
from portico.pipeline.published_index import FILES, bring_index, is_published
from portico.pipeline.topics.topic_model import MODEL, is_kept_whole
from portico.pipeline.topics.topic_tree import find_topic_model
from portico.store.catalog.entities import is_whole_row
from portico.store.codec import digest
from portico.store.database import describe_weakness, find_integrity_faults, rebuild_indexes
from portico.store.documents.pages import CATALOGUED
from portico.store.opening import index_lock
from portico.store.seals import accept_bucket, find_broken_seals, seal
from portico.types.page import BodyHash
from portico.types.record import EntityId
from portico.types.stages import StageName

_SHOWN = 20  # of each kind of fault; the rest is counted
_ROUNDS = 3  # of mending and looking again
_CUT_SHORT = "not all could be checked"


@dataclass(frozen=True, slots=True)
class Fault:
    """One inconsistency; `mend` drops what is wrong, and is None if only a backup would help."""

    what: str
    mend: Callable[[], None] | None
    accept: Callable[[], None] | None = None  # what lets it count as right from now on


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was checked, what was wrong, and how much of it was repaired."""

    checked: tuple[str, ...]
    faults: tuple[Fault, ...]
    repaired: bool
    unseen: str = ""  # what no check would find

    @property
    def open_faults(self) -> int:
        return sum(1 for fault in self.faults if not (self.repaired and fault.mend))

    def lines(self) -> Iterator[str]:
        for words in self.checked:
            yield f"checked {words}"
        for fault in self.faults[:_SHOWN]:
            mended = self.repaired and fault.mend is not None
            yield f"  {'dropped' if mended else 'WRONG'}: {fault.what}"
        if len(self.faults) > _SHOWN:
            yield f"  and {len(self.faults) - _SHOWN} more"
        if self.unseen:
            yield f"Not checked: {self.unseen}."
        yield self._verdict()

    def _verdict(self) -> str:
        if not self.faults:
            return "Everything agrees."
        if self.open_faults and self.repaired:
            return (
                f"{self.open_faults} faults cannot be mended here: put back a copy (`portico restore`), "
                "or take what is there as it is with --accept."
            )
        if self.open_faults:
            return f"{self.open_faults} faults. Run with --repair, then `portico build` makes the rest again."
        return f"{len(self.faults)} faults dropped: run `portico build` to make again what was lost."


def verify_portal(path: Path, *, repair: bool = False, accept: bool = False) -> VerifyReport:
    """Checks everything; with `repair` the portal is held so that no build runs meanwhile.

    With `accept` what cannot be mended is taken as it is from now on.
    """
    with open_for_building(path) if repair or accept else open_portal(path) as portal:
        checked, faults = _check_all(portal)
        if repair or accept:
            faults = _mend_all(portal, faults, accept=accept)
            seal(portal.store.engine)
        unseen = describe_weakness(portal.store.engine)
        report = VerifyReport(checked, faults, repair or accept, unseen)
        _note_damage(portal, report)
        return report


def _check_all(portal: Portal) -> tuple[tuple[str, ...], tuple[Fault, ...]]:
    checked: list[str] = []
    faults: list[Fault] = []
    for check in CHECKS:
        found = list[Fault]()
        try:
            found += check(portal)
        except PortalError as error:  # what is damaged may also keep a check from its work
            found.append(Fault(f"{_CUT_SHORT}: {error}", None))
        words = (check.__doc__ or "").partition(".")[0]
        checked.append(f"{words[:1].lower()}{words[1:]}: {len(found) or 'no'} faults")
        faults += found
    return tuple(checked), tuple(faults)


def _mend_all(portal: Portal, faults: tuple[Fault, ...], *, accept: bool) -> tuple[Fault, ...]:
    """Drops what is wrong, and checks again what this had blocked. Returns all faults found."""
    mended: list[Fault] = []
    for _ in range(_ROUNDS):
        for fault in faults:
            undo = fault.mend or (fault.accept if accept else None)
            if undo is not None:
                undo()
                mended.append(replace(fault, mend=undo))
        faults = tuple(each for each in faults if each.mend is None and not (accept and each.accept))
        if not any(each.what.startswith(_CUT_SHORT) for each in faults):
            break
        _, faults = _check_all(portal)
    return (*mended, *faults)


def _note_damage(portal: Portal, report: VerifyReport) -> None:
    """Records damage for builds and the running portal, until it is repaired."""
    place = portal.places.damage
    with suppress(OSError):  # of a portal that may not be written the exit code tells
        if report.open_faults:
            words = f"{count_things(report.open_faults, 'fault')} found by `portico verify` on {date.today()}"
            write_whole(place, "\n".join((words, *report.lines(), "")).encode())
        else:
            place.unlink(missing_ok=True)


def _check_database(portal: Portal) -> Iterator[Fault]:
    """The database is sound."""
    engine, blobs = portal.store.engine, portal.store.blobs
    for words in find_integrity_faults(engine):
        yield Fault(
            f"the database says: {words}", partial(rebuild_indexes, engine) if _is_of_index(words) else None
        )
    for words in blobs.find_faults():
        yield Fault(
            f"the file of small pages says: {words}", blobs.rebuild_indexes if _is_of_index(words) else None
        )


def _is_of_index(words: str) -> bool:
    """Whether this is damage of an index of a table, which can be made again from the table."""
    return any(each in words for each in ("missing from index", "entries in index", "entry in index"))


def _check_rows(portal: Portal) -> Iterator[Fault]:
    """Every row is as it was when the last build ended, or was changed since by Portico itself."""
    for bucket in find_broken_seals(portal.store.engine):
        what = f"rows of the table {bucket.table} ({bucket.number}) are not what was written"
        yield Fault(what, mend_rows(portal, bucket), partial(accept_bucket, portal.store.engine, bucket))


def _check_models(portal: Portal) -> Iterator[Fault]:
    """Every model that the portal has learned is as it was written."""
    folder, topics = portal.places.models, find_topic_model(portal)
    if not is_kept_whole(portal):
        yield Fault(f"the model {topics.name} is missing or damaged", partial(_learn_again, portal))
    for name in find_damaged_models(folder):
        if name != topics.name:  # taught by the builder: only they can teach it again
            yield Fault(f"the model {name} is missing or damaged", None, partial(forget_model, folder / name))


def _learn_again(portal: Portal) -> None:
    forget_model(find_topic_model(portal))
    for name in (MODEL, StageName.CLASSIFY, StageName.PLACE):
        portal.store.meta.delete(name)


def _check_bodies(portal: Portal) -> Iterator[Fault]:
    """Every page's body exists and is intact."""
    store = portal.store
    for row in store.documents.pages.bodies():
        if row.media_type != CATALOGUED and not store.blobs.check(row.body):
            yield Fault(f"the body of {row.source} is missing or damaged", _drop_body(portal, row.body))


def _drop_body(portal: Portal, body: BodyHash) -> Callable[[], None]:
    def mend() -> None:
        sources = portal.store.documents.pages.sources([body]).get(body, ())
        portal.store.blobs.remove(body)
        portal.store.crawl.frontier.forget(sources)  # links are fetched again, files read again
        portal.store.documents.pages.remove(sources)

    return mend


def _check_strays(portal: Portal) -> Iterator[Fault]:
    """Every body belongs to a page."""
    store = portal.store
    used = {row.body for row in store.documents.pages.bodies()}
    for name in store.blobs.names():
        if name not in used:
            yield Fault(f"body {name[:12]}… belongs to no page", partial(store.blobs.remove, name))


def _check_results(portal: Portal) -> Iterator[Fault]:
    """Every stage's results are whole and belong to a body."""
    store = portal.store
    used = {row.body for row in store.documents.pages.bodies()}
    for stage in (StageName.CONVERT, StageName.LIST, StageName.EXTRACT, StageName.ENRICH, StageName.PICTURE):
        for subject, known, payload in store.documents.results.payloads(stage):
            whole = _digest_payload(payload) == known
            if not whole or subject.partition(":")[0] not in used:
                what = "is damaged" if not whole else "belongs to no page"
                yield Fault(
                    f"the {stage} result of {subject[:12]}… {what}",
                    partial(store.documents.results.drop, stage, [subject]),
                )


def _digest_payload(payload: bytes) -> str:
    try:
        return digest(payload)
    except PortalError:
        return ""


def _check_entities(portal: Portal) -> Iterator[Fault]:
    """Every entity is whole."""
    entities = portal.store.catalog.entities
    for row in entities.rows():
        if not is_whole_row(row):
            yield Fault(f"entity {row.id} is damaged", partial(_drop_entity, portal, row.id))


def _drop_entity(portal: Portal, name: EntityId) -> None:
    portal.store.catalog.entities.remove([name])
    match_again(portal)


def _check_graph(portal: Portal) -> Iterator[Fault]:
    """Every citation and every document leads to an entity."""
    store = portal.store
    known = set(store.catalog.entities.digests())
    again = partial(match_again, portal)
    for citation in store.catalog.citations.all():
        if citation.citing not in known or citation.cited not in known:
            yield Fault(f"citation {citation.record[:12]}… leads to no entity", again)
    extracted = set(store.documents.results.digests(StageName.EXTRACT))
    for entity in store.catalog.entities.summaries():
        for document in entity.documents:
            if document not in extracted:
                yield Fault(f"entity {entity.id} has a document without records", again)


def _check_index(portal: Portal) -> Iterator[Fault]:
    """The index is as it was written, and holds exactly the entities."""
    store = portal.store

    def again() -> None:
        store.meta.delete(GENERATION)
        store.meta.delete(StageName.INDEX)
        store.meta.delete(FILES)

    generation = store.meta.get(GENERATION)
    if generation is None:
        if store.catalog.counts().n_held:
            yield Fault("there is no index", again)
        return
    if is_published(portal):
        try:
            with index_lock(portal.places.folder, wait=True):
                bring_index(portal)  # a correction on another machine may have changed it since
        except PortalError as error:
            yield Fault(f"the published index cannot be fetched: {error}", again)
            return
    damaged = _find_damaged_files(portal, generation)
    if damaged:
        yield Fault(f"files of the index are missing or damaged: {', '.join(damaged)}", again)
        return
    try:
        held = list_indexed_ids(portal.places.index / generation)
    except PortalError as error:
        yield Fault(f"the index cannot be read: {error}", again)
        return
    known = set(store.catalog.entities.digests())
    for entity in sorted(known ^ held):
        yield Fault(f"entity {entity} is {'not in' if entity in known else 'only in'} the index", again)


def _find_damaged_files(portal: Portal, generation: str) -> tuple[str, ...]:
    store = portal.store
    written = written_files(store, generation)
    if written is None:
        return ()  # a build is changing the index, or was killed while it did: the next one writes a new one
    try:
        damaged = find_damaged_files(portal.places.index / generation, written)
    except OSError as error:
        return (str(error),)
    return damaged if written == written_files(store, generation) else ()  # else it was changed meanwhile


CHECKS = (
    _check_database,
    _check_rows,
    _check_models,
    _check_bodies,
    _check_strays,
    _check_results,
    _check_entities,
    _check_graph,
    _check_index,
)
