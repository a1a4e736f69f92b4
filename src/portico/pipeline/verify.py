"""Do store, bodies and index agree? And where they do not, drop what is wrong so that a build mends it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from portico.errors import PortalError
from portico.index.files import find_damaged_files
from portico.index.writer import list_indexed_ids
from portico.pipeline.indexing import FILES, GENERATION, written_files
from portico.pipeline.opening import open_for_building, open_portal
from portico.pipeline.portal import Portal
from portico.store.codec import digest
from portico.store.database import find_integrity_faults
from portico.store.documents.pages import CATALOGUED
from portico.types.page import BodyHash
from portico.types.stages import StageName

_SHOWN = 20  # of each kind of fault; the rest is counted


@dataclass(frozen=True, slots=True)
class Fault:
    """One disagreement; `mend` drops what is wrong, and is None where only a copy would help."""

    what: str
    mend: Callable[[], None] | None


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """What was looked at, what was wrong, and how much of it was mended."""

    checked: tuple[str, ...]
    faults: tuple[Fault, ...]
    repaired: bool

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
        yield self._verdict()

    def _verdict(self) -> str:
        if not self.faults:
            return "Everything agrees."
        if self.open_faults and self.repaired:
            return f"{self.open_faults} faults cannot be mended here: put back a copy of the portal's folder."
        if self.open_faults:
            return f"{self.open_faults} faults. Run with --repair, then `portico build` makes the rest again."
        return f"{len(self.faults)} faults dropped: run `portico build` to make again what was lost."


def verify_portal(path: Path, *, repair: bool) -> VerifyReport:
    """Checks everything; with `repair` the portal is held so that no build runs meanwhile."""
    with open_for_building(path) if repair else open_portal(path) as portal:
        checked: list[str] = []
        faults: list[Fault] = []
        for check in CHECKS:
            found = tuple(check(portal))
            words = (check.__doc__ or "").partition(".")[0]
            checked.append(f"{words[:1].lower()}{words[1:]}: {len(found) or 'no'} faults")
            faults += found
        if repair:
            for fault in faults:
                if fault.mend is not None:
                    fault.mend()
        return VerifyReport(tuple(checked), tuple(faults), repair)


def _check_database(portal: Portal) -> Iterator[Fault]:
    """The database is sound."""
    for words in find_integrity_faults(portal.store.engine):
        yield Fault(f"the database says: {words}", None)


def _check_bodies(portal: Portal) -> Iterator[Fault]:
    """Every page's body is there and whole."""
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
    for stage in (StageName.CONVERT, StageName.LIST, StageName.EXTRACT):
        for subject, known, payload in store.documents.results.payloads(stage):
            whole = _digest_payload(payload) == known
            if not whole or subject not in used:
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


def _check_graph(portal: Portal) -> Iterator[Fault]:
    """Every citation and every document leads to an entity."""
    store = portal.store
    known = set(store.catalog.entities.digests())

    def again() -> None:
        store.meta.delete(StageName.MATCH)
        store.catalog.matches.forget()  # what is damaged cannot be built on

    for citation in store.catalog.citations.all():
        if citation.citing not in known or citation.cited not in known:
            yield Fault(f"citation {citation.record[:12]}… leads to no entity", again)
    extracted = set(store.documents.results.digests(StageName.EXTRACT))
    for entity in store.catalog.entities.all():
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


CHECKS = (_check_database, _check_bodies, _check_strays, _check_results, _check_graph, _check_index)
