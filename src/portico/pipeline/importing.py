"""Records of other catalogs into a portal, line by line: plain ones, or those of `portico export jsonl`."""

import gzip
import json
import lzma
import re
import shlex
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from portico.config.portal_paths import PortalPaths, find_hidden_portal
from portico.config.template import format_import_toml
from portico.errors import ConfigError, InputError
from portico.pipeline.building import BuildSummary, build
from portico.pipeline.imported_record import VERSION, ImportedRecord
from portico.pipeline.opening import open_for_changes, write_settings
from portico.pipeline.portal import Collection
from portico.pipeline.progress import BuildRequest, Clock, Progress, StageProgress, StageReport
from portico.pipeline.runners import fingerprint
from portico.store.codec import encode
from portico.store.documents.failures import NewFailure
from portico.store.documents.pages import CATALOGUED, RECORD, PageRow
from portico.store.documents.results import Done, RunRow
from portico.store.opening import Store
from portico.types.page import BodyHash
from portico.types.stages import StageName

STAGE = StageName.IMPORT
AFTERWARDS = (StageName.CLASSIFY, StageName.MATCH, StageName.INDEX)
"""The stages that make records of a catalog papers of the portal."""

# Lines that are kept together: a commit costs about as much as ten records.
BATCH = 400

# Bytes of the longest line: an exported book with a thousand references has about one million.
LONGEST_LINE = 32_000_000
_PIECE = 1 << 20  # bytes read at a time where only ends of lines matter

# A character beyond the first 65,536 is spelled as two halves in JSON, of which one may be missing.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the file, understood or not; `record` is None where it is only known from citations."""

    number: int
    record: ImportedRecord | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Counts:
    n_new: int = 0
    n_fresh: int = 0
    n_failed: int = 0

    def __add__(self, other: "_Counts") -> "_Counts":
        return _Counts(self.n_new + other.n_new, self.n_fresh + other.n_fresh, self.n_failed + other.n_failed)


def import_portal(file: Path, folder: Path, progress: Progress) -> BuildSummary:
    """Imports the file into the portal in `folder`, which is made where there is none, and builds the rest.

    Records that are there already are left alone, so a second run does nothing, and one that was
    killed goes on where it stopped.
    """
    started = time.time()
    _check(file)
    if not any(place.settings.exists() for place in (PortalPaths(folder), find_hidden_portal(folder))):
        write_settings(PortalPaths(folder).settings, format_import_toml(folder.resolve().name or "Papers"))
    with open_for_changes(folder) as portal:
        report = import_records(file, portal.store, progress, clock=time.time, collection=portal.collection)
        summary = build(portal, BuildRequest(stages=AFTERWARDS), progress, path=folder, started=started)
    return replace(summary, reports=(report, *summary.reports))


def import_records(
    file: Path, store: Store, progress: Progress, *, clock: Clock, collection: Collection
) -> StageReport:
    """Every record of the file into the store; a line that is none becomes a failure with its number.

    A collection says how a record is read.
    """
    started = clock()
    catalog = file.name.split(".")[0] or file.name
    keys = store.documents.results.keys(StageName.EXTRACT)
    total = _Counts()
    with progress.stage(STAGE, None) as meter:
        meter.status("counting lines")
        meter.expect(_n_lines(file))
        meter.status("")
        lines = _distinct(_lines(file, catalog, collection))
        store.documents.failures.clear(STAGE, _failed_before(file, store))
        while batch := list(islice(lines, BATCH)):
            total += _keep(batch, file, store, keys, now=clock())
            _advance(meter, batch)
    report = StageReport(
        STAGE,
        n_done=total.n_new,
        n_failed=total.n_failed,
        n_fresh=total.n_fresh,
        seconds=clock() - started,
        note=_note(total, file),
        nothing_found=bool(total.n_failed and not total.n_new + total.n_fresh),
    )
    if report.worked:
        store.documents.runs.add(RunRow(STAGE, started, report.seconds, report.n_done, report.n_failed))
    return report


def _check(file: Path) -> None:
    if not file.exists():
        raise ConfigError(f"{file}: there is no such file")
    if file.is_dir():
        raise ConfigError(f"{file} is a folder; name a file with one JSON object a line")


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """The file's bytes, whether packed with xz or gzip or not at all."""
    try:
        with _open_packed(file) as stream:
            yield stream
    except (lzma.LZMAError, gzip.BadGzipFile, EOFError) as fault:
        raise ConfigError(f"{file}: cannot be unpacked ({fault}); what was read before is kept") from fault
    except OSError as fault:
        raise ConfigError(f"{file}: cannot be read: {fault.strerror or fault}") from fault


def _open_packed(file: Path) -> BinaryIO:
    if file.suffix.lower() == ".xz":
        return cast("BinaryIO", lzma.open(file, "rb"))
    if file.suffix.lower() == ".gz":
        return cast("BinaryIO", gzip.open(file, "rb"))
    return file.open("rb")


def _n_lines(file: Path) -> int:
    n_lines, last = 0, b"\n"
    with _opened(file) as stream:
        while piece := stream.read(_PIECE):  # not by lines: one may be larger than the memory
            n_lines, last = n_lines + piece.count(b"\n"), piece
    return n_lines + (not last.endswith(b"\n"))


def _lines(file: Path, catalog: str, collection: Collection) -> Iterator[_Line]:
    with _opened(file) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                while not line.endswith(b"\n") and line:
                    line = stream.readline(LONGEST_LINE)
                yield _Line(number, error=f"the line has more than {LONGEST_LINE:,} bytes")
            elif line.strip():
                yield _understood(line, number, catalog, collection)


def _understood(line: bytes, number: int, catalog: str, collection: Collection) -> _Line:
    try:
        told = _parsed(line)
        return _Line(number, collection.read_record(told, catalog=catalog))
    except InputError as error:
        return _Line(number, error=str(error))


def _parsed(line: bytes) -> object:
    try:
        words = line.decode("utf-8-sig")
        told: object = json.loads(words)
        return _encodable(told) if _SURROGATE.search(words) else told
    except UnicodeDecodeError as fault:
        raise InputError(f"the line is not UTF-8 (byte {fault.start + 1})") from fault
    except json.JSONDecodeError as fault:
        raise InputError(
            f"the line is not JSON: {fault.msg.removesuffix(' at')} at character {fault.pos + 1}"
        ) from fault
    except (RecursionError, ValueError) as fault:  # nested without end; a number without end
        raise InputError("the line is nested too deeply, or has an endless number") from fault


def _encodable(told: object) -> object:
    """The same without halves of characters, which JSON can spell but no file or page can hold."""
    words = json.dumps(told, ensure_ascii=False)
    return json.loads(words.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _distinct(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Refuses a second, different record of the same place: which of the two were right?"""
    seen: dict[str, tuple[int, str]] = {}
    for line in lines:
        if line.record is None:
            yield line
            continue
        document = line.record.document.id
        earlier = [seen[source] for source in line.record.sources if source in seen]
        clash = next((number for number, other in earlier if other != document), None)
        if clash is not None:
            yield _Line(line.number, error=f"another record than line {clash} has, from the same source")
            continue
        seen.update((source, (line.number, document)) for source in line.record.sources)
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
    # Results before the pages that name them: what a kill leaves half done is done again.
    store.documents.results.put_many(
        StageName.CONVERT, [_done(each, key, encode(each.document), now) for each in due]
    )
    store.documents.results.put_many(
        StageName.EXTRACT, [_done(each, key, encode(each.records), now) for each in due]
    )
    store.documents.pages.put(row for each in due for row in _pages(each, str(file), now))
    keys.update((each.document.id, key) for each in due)
    _forget({body for source, body in before.items() if body != wanted[source]}, store)
    return _Counts(len(due), len(records) - len(due), len(flawed))


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


def _forget(replaced: set[BodyHash], store: Store) -> None:
    """Records that another took the place of leave, unless they have another place."""
    gone = sorted(replaced - set(store.documents.pages.sources(replaced)))
    for stage in (StageName.CONVERT, StageName.EXTRACT):
        store.documents.results.drop(stage, gone)


def _failure(line: _Line, file: Path, now: float) -> NewFailure:
    place = f"{file.resolve()}:{line.number}"
    return NewFailure(STAGE, place, place, InputError.__name__, line.error, now)


def _advance(meter: StageProgress, batch: list[_Line]) -> None:
    n_failed = sum(bool(line.error) for line in batch)
    meter.advance(len(batch) - n_failed, n_failed=n_failed)


def _failed_before(file: Path, store: Store) -> list[str]:
    """Lines of this file that failed when it was last read."""
    return [
        row.subject for row in store.documents.failures.all() if row.subject.startswith(f"{file.resolve()}:")
    ]


def _note(total: _Counts, file: Path) -> str:
    if total.n_new + total.n_fresh or not total.n_failed:
        return ""
    return f"no line of {shlex.quote(str(file))} is a record: each should be one JSON object with a title"
