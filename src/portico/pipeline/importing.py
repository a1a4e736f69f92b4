"""Imports records of other catalogs, in any supported format, with their attached files."""

import os
import shlex
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from portico.config.portal_paths import PortalPaths, find_hidden_portal
from portico.config.template import format_import_toml
from portico.convert.sniffing import PEEK_BYTES, sniff_media_type
from portico.errors import ConfigError, InputError
from portico.pipeline.building import BuildSummary, build
from portico.pipeline.catalogs.formats import (
    CATALOG_ENDINGS,
    LIBRARY,
    CatalogFormat,
    open_packed,
    read_catalog,
    recognize_format,
)
from portico.pipeline.catalogs.items import CatalogItem
from portico.pipeline.imported_record import VERSION, ImportedRecord
from portico.pipeline.opening import open_for_changes, write_settings
from portico.pipeline.portal import Collection, Portal
from portico.pipeline.progress import BuildRequest, Clock, Progress, StageProgress, StageReport
from portico.pipeline.runners import fingerprint
from portico.store.codec import encode
from portico.store.documents.failures import NewFailure
from portico.store.documents.pages import ATTACHED, CATALOGUED, RECORD, PageRow, name_record
from portico.store.documents.results import Done, RunRow
from portico.store.opening import Store
from portico.store.seals import SealKeeper
from portico.types.correction import Verdict
from portico.types.page import BodyHash
from portico.types.record import RecordId
from portico.types.stages import StageName

STAGE = StageName.IMPORT
AFTERWARDS = (StageName.CONVERT, StageName.EXTRACT, StageName.CLASSIFY, StageName.MATCH, StageName.INDEX)
"""The stages that turn records of a catalog into papers of the portal."""

# Lines stored together, because a commit costs about as much as ten records.
BATCH = 400

_PIECE = 1 << 20  # bytes read at a time for counting lines

_OUTSIDE = (
    "is attached to a record but outside of the catalog's folder, and was not added: whoever wrote the"
    " catalog could publish any file of yours. If it is meant, import again with --files {folder}"
)


@dataclass(frozen=True, slots=True)
class CatalogFile:
    """A file of records, and the folders from which files attached to them may be taken."""

    path: Path
    kind: CatalogFormat
    folders: tuple[Path, ...] = ()  # besides its own

    @property
    def within(self) -> tuple[Path, ...]:
        return self.path.parent, *self.folders

    def may_attach(self, file: Path) -> bool:
        """Whether the file, with links resolved, is in one of the folders."""
        real = Path(os.path.realpath(file))
        return any(real.is_relative_to(os.path.realpath(each)) for each in self.within)


@dataclass(frozen=True, slots=True)
class _Line:
    """One record of the file, valid or not; `record` is None for papers only known from citations, and for
    records that the catalog has deleted.
    """

    place: str  # position in the file: a line number, or "item 3"
    record: ImportedRecord | None = None
    error: str = ""
    files: tuple[Path, ...] = ()  # documents that are attached to it
    deleted: str = ""  # the source of a record that the catalog has deleted


@dataclass(frozen=True, slots=True)
class _Counts:
    n_new: int = 0
    n_fresh: int = 0
    n_failed: int = 0
    n_deleted: int = 0

    def __add__(self, other: "_Counts") -> "_Counts":
        return _Counts(
            self.n_new + other.n_new,
            self.n_fresh + other.n_fresh,
            self.n_failed + other.n_failed,
            self.n_deleted + other.n_deleted,
        )


def import_portal(
    file: Path,
    folder: Path,
    progress: Progress,
    *,
    kind: CatalogFormat | None = None,
    attached: Iterable[Path] = (),
) -> BuildSummary:
    """Import a file, or the catalogs of a folder, into the portal in `folder`, and build the rest.

    The portal is created if there is none. `kind` is the format, if it should not be detected; `attached` are
    folders besides the catalog's own from which attached files may be taken. Records imported before are left
    alone, so a second run does nothing, and a run after a kill continues where that stopped.
    """
    started = time.time()
    files = _list_catalogs(file, kind, tuple(attached))
    if not any(place.settings.exists() for place in (PortalPaths(folder), find_hidden_portal(folder))):
        write_settings(PortalPaths(folder).settings, format_import_toml(folder.resolve().name or "Papers"))
    with open_for_changes(folder) as portal:
        reports = [import_records(each, portal, progress, clock=time.time) for each in files]
        summary = build(portal, BuildRequest(stages=AFTERWARDS), progress, path=folder, started=started)
    if len(reports) > 1 and any(not report.nothing_found for report in reports):
        reports = [replace(report, nothing_found=False) for report in reports]
    return replace(summary, reports=(*reports, *summary.reports))


def import_records(catalog: CatalogFile, portal: Portal, progress: Progress, *, clock: Clock) -> StageReport:
    """Import every record of the file; invalid ones become failures that name their line."""
    started = clock()
    store, file, kind = portal.store, catalog.path, catalog.kind
    keys = store.documents.results.keys(StageName.EXTRACT)
    total = _Counts()
    with progress.stage(STAGE, None) as meter:
        if kind is CatalogFormat.JSONL:
            meter.status("counting lines")
            meter.expect(_n_lines(file))
        meter.status("")
        lines = _distinct(_lines(file, kind, portal.collection))
        store.documents.failures.clear(STAGE, _failed_before(file, store))
        keep_seals = SealKeeper(store.engine, clock)
        while batch := list(islice(lines, BATCH)):
            total += _keep(batch, file, store, keys, now=clock())
            keep_seals()
            _attach(batch, catalog, portal, now=clock())
            _advance(meter, batch)
    report = StageReport(
        STAGE,
        n_done=total.n_new,
        n_failed=total.n_failed,
        n_fresh=total.n_fresh,
        n_dropped=total.n_deleted,
        seconds=clock() - started,
        note=_note(total, file),
        nothing_found=bool(total.n_failed and not total.n_new + total.n_fresh),
    )
    if report.worked:
        store.documents.runs.add(RunRow(STAGE, started, report.seconds, report.n_done, report.n_failed))
    return report


def _list_catalogs(what: Path, kind: CatalogFormat | None, folders: tuple[Path, ...]) -> list[CatalogFile]:
    """Return the file itself, or the catalogs in a folder, each with its format."""
    if not what.exists():
        raise ConfigError(f"{what}: there is no such file")
    if not what.is_dir():
        return [CatalogFile(what, kind or recognize_format(what), folders)]
    if (what / LIBRARY).is_file():
        return [CatalogFile(what / LIBRARY, CatalogFormat.ZOTERO, folders)]
    endings = tuple(f"{ending}{packed}" for ending in CATALOG_ENDINGS for packed in ("", ".gz", ".xz"))
    files = sorted(path for path in what.rglob("*") if path.name.lower().endswith(endings) and path.is_file())
    if not files:
        raise ConfigError(
            f"{what} is a folder without catalogs ({', '.join(CATALOG_ENDINGS)}); name a file, "
            "or use `portico build` for a folder of papers"
        )
    return [CatalogFile(path, kind or recognize_format(path), (what, *folders)) for path in files]


def _n_lines(file: Path) -> int:
    n_lines, last = 0, b"\n"
    with open_packed(file) as stream:
        while piece := stream.read(_PIECE):  # not by lines: one may be larger than the memory
            n_lines, last = n_lines + piece.count(b"\n"), piece
    return n_lines + (not last.endswith(b"\n"))


def _lines(file: Path, kind: CatalogFormat, collection: Collection) -> Iterator[_Line]:
    catalog = file.name.split(".")[0] or file.name
    for item in read_catalog(file, kind):
        yield _understood(item, catalog, collection)


def _understood(item: CatalogItem, catalog: str, collection: Collection) -> _Line:
    if item.error:
        return _Line(item.place, error=item.error)
    if item.deleted:
        return _Line(item.place, deleted=name_record(catalog, item.deleted))
    try:
        return _Line(item.place, collection.read_record(item.told, catalog=catalog), files=item.files)
    except InputError as error:
        return _Line(item.place, error=str(error))


def _distinct(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Refuse a second, different record from the same source, because either could be the correct one."""
    seen: dict[str, tuple[str, str]] = {}
    for line in lines:
        if line.record is None:
            yield line
            continue
        document = line.record.document.id
        earlier = [seen[source] for source in line.record.sources if source in seen]
        clash = next((place for place, other in earlier if other != document), None)
        if clash is not None:
            where = clash if clash.startswith("item") else f"line {clash}"
            yield _Line(line.place, error=f"another record than {where} has, from the same source")
            continue
        seen.update((source, (line.place, document)) for source in line.record.sources)
        yield line


def _keep(batch: list[_Line], file: Path, store: Store, keys: dict[str, str], *, now: float) -> _Counts:
    flawed = [line for line in batch if line.error]
    store.documents.failures.put(*(_failure(line, file, now) for line in flawed))
    records = {line.record.document.id: line.record for line in batch if line.record is not None}
    wanted = {source: BodyHash(name) for name, record in records.items() for source in record.sources}
    before = store.documents.pages.bodies_of(tuple(wanted))
    key = fingerprint(STAGE, VERSION)
    due = [
        record
        for name, record in records.items()
        if keys.get(name) != key or any(before.get(source) != wanted[source] for source in record.sources)
    ]
    # Results are stored before the pages that name them: what a kill leaves half done is done again.
    store.documents.results.put_many(
        StageName.CONVERT, [_done(each, key, encode(each.document), now) for each in due]
    )
    store.documents.results.put_many(
        StageName.EXTRACT, [_done(each, key, encode(each.records), now) for each in due]
    )
    store.documents.pages.put(row for each in due for row in _pages(each, str(file), now))
    keys.update((each.document.id, key) for each in due)
    _forget({body for source, body in before.items() if body != wanted[source]}, store)
    n_deleted = _remove_deleted({line.deleted for line in batch if line.deleted}, store)
    return _Counts(len(due), len(records) - len(due), len(flawed), n_deleted)


def _remove_deleted(names: set[str], store: Store) -> int:
    """Remove records that their catalog has deleted, unless another catalog has them, too."""
    bodies = set(store.documents.pages.bodies_of(names).values())
    for sources in store.documents.pages.sources(bodies).values():
        is_elsewhere = any(each.startswith(f"{RECORD}:") and each not in names for each in sources)
        store.documents.pages.remove(names.intersection(sources) if is_elsewhere else sources)
    _forget(bodies, store)
    return len(bodies)


def _done(record: ImportedRecord, key: str, payload: bytes, now: float) -> Done:
    return Done(record.document.id, key, payload, 0.0, now)


def _pages(record: ImportedRecord, origin: str, now: float) -> Iterator[PageRow]:
    for place, source in enumerate(record.sources):
        yield PageRow(
            source,
            RECORD,
            now,
            origin,
            body=BodyHash(record.document.id),
            media_type=CATALOGUED,
            n_bytes=len(record.document.text),
            depth=place,  # the first source stays the first
        )


def _attach(batch: list[_Line], catalog: CatalogFile, portal: Portal, *, now: float) -> None:
    """Store the documents attached to records, and note that each is the same paper as its record."""
    store, limit = portal.store, portal.settings.convert.max_bytes
    verdicts: list[Verdict] = []
    for line in batch:
        for path in line.files if line.record is not None else ():
            assert line.record is not None
            source = os.path.relpath(path, portal.places.folder)
            try:
                if not catalog.may_attach(path):
                    raise InputError(_OUTSIDE.format(folder=shlex.quote(str(path.parent))))
                body = store.blobs.put_file(path, max_bytes=limit, within=catalog.within)
                store.documents.failures.clear(STAGE, [source])
            except InputError as error:
                store.documents.failures.put(
                    NewFailure(STAGE, source, source, InputError.__name__, str(error), now)
                )
                continue
            if store.documents.pages.bodies_of([source]).get(source) != body:
                media_type = sniff_media_type(store.blobs.peek(body, PEEK_BYTES), name=path.name)
                row = PageRow(source, ATTACHED, now, str(catalog.path), body=body, media_type=media_type)
                # After the record's own URL, which is the paper's main source.
                store.documents.pages.put([replace(row, n_bytes=path.stat().st_size, depth=1)])
            one, other = sorted((RecordId(f"{body}#header"), RecordId(f"{line.record.document.id}#header")))
            verdicts.append(Verdict(one, other, same=True, who="the import", at=now))
    store.contributions.corrections.decide(verdicts)


def _forget(replaced: set[BodyHash], store: Store) -> None:
    """Drop the results of replaced records, unless they have another source."""
    gone = sorted(replaced - set(store.documents.pages.sources(replaced)))
    for stage in (StageName.CONVERT, StageName.EXTRACT):
        store.documents.results.drop(stage, gone)


def _failure(line: _Line, file: Path, now: float) -> NewFailure:
    place = f"{file.resolve()}:{line.place}"
    return NewFailure(STAGE, place, place, InputError.__name__, line.error, now)


def _advance(meter: StageProgress, batch: list[_Line]) -> None:
    n_failed = sum(bool(line.error) for line in batch)
    meter.advance(len(batch) - n_failed, n_failed=n_failed)


def _failed_before(file: Path, store: Store) -> list[str]:
    """The lines of this file that failed when it was last read."""
    return [
        row.subject for row in store.documents.failures.all() if row.subject.startswith(f"{file.resolve()}:")
    ]


def _note(total: _Counts, file: Path) -> str:
    if total.n_new + total.n_fresh or not total.n_failed:
        return ""
    return f"nothing in {shlex.quote(str(file))} is a record with a title; `portico status` says why"
