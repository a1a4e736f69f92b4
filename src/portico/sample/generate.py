"""Writes the sample web into a folder: sites, server rules, and the ground truth about its papers."""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType

from portico.errors import ConfigError
from portico.sample.banks import FULL, Bank, Scale
from portico.sample.department_pages import Campus, add_department_pages
from portico.sample.manuscript import Manuscript, write_manuscript
from portico.sample.people import DEPARTMENTS, Department, invent_people
from portico.sample.placement import Address, OtherDocument, Placement, WebFiles, place_papers
from portico.sample.printing.first_pages import find_department
from portico.sample.printing.papers import STYLES, PaperStyle, compress, convert_to_postscript, print_paper
from portico.sample.references import Reference
from portico.sample.research_pages import add_research_pages
from portico.sample.traps import add_traps, add_wrong_types
from portico.sample.works import Work, invent_works


def format_paper_truth(papers: Iterable[tuple[Placement, Manuscript]]) -> str:
    """The content of truth.jsonl."""
    return "".join(_line(_paper(placement, manuscript)) for placement, manuscript in papers)


def format_other_truth(others: Iterable[OtherDocument]) -> str:
    """The content of truth_other.jsonl."""
    return "".join(_line({"url": str(other.address), "kind": other.kind}) for other in others)


def _line(row: dict[str, object]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _paper(placement: Placement, manuscript: Manuscript) -> dict[str, object]:
    work = placement.work
    homes = (find_department(key) for key in dict.fromkeys(author.department for author in work.authors))
    return {
        "id": work.id,
        "urls": [str(address) for file in placement.files for address in file.addresses],
        "formats": [file.extension for file in placement.files],
        "reachable": placement.reachable,
        "shelf": placement.shelf,
        "title": work.title,
        "authors": [author.full_name for author in work.authors],
        "affiliations": [f"{home.name}, {home.university}" for home in homes],
        "abstract": manuscript.abstract,
        "keywords": list(manuscript.keywords),
        "year": work.year,
        "venue": work.venue.full,
        "topic": work.bank.topic,
        "cites": [
            reference.entry.work.id for reference in manuscript.references if reference.entry.work.held
        ],
        "references": [_reference(reference) for reference in manuscript.references],
    }


def _reference(reference: Reference) -> dict[str, object]:
    entry = reference.entry
    return {
        "raw": reference.raw,
        "title": entry.title,
        "authors": list(reference.authors),
        "year": entry.year,
        "venue": reference.venue,
        "cites": entry.work.id if entry.work.held else None,
    }


# Increment with every change to the output, otherwise old folders would pass for new ones.
GENERATOR_VERSION = 3
MARKER = "sample.json"

Progress = Callable[[str, int, int], None]
"""Called with the current activity, the number of finished items, and their total."""


PLAIN_RULES: Mapping[str, object] = MappingProxyType(
    {"redirects": {}, "statuses": {}, "types": {}, "charsets": {}, "flaky": [], "calendars": []}
)
"""Rules of a sample web without redirects, errors or traps."""


@dataclass(frozen=True, slots=True)
class SampleWeb:
    """A sample web on disk: its hosts, and the URLs from which to crawl it."""

    folder: Path
    hosts: tuple[str, ...]
    seeds: tuple[str, ...]


def write_sample_web(
    folder: Path, *, seed: int = 7, scale: Scale = FULL, progress: Progress | None = None
) -> SampleWeb:
    """Write the web all at once or not at all. Does nothing if the folder already holds the same web."""
    marker = {"generator": GENERATOR_VERSION, "seed": seed, "scale": asdict(scale)}
    departments = DEPARTMENTS[: scale.n_departments]
    hosts = tuple(department.host for department in departments)
    web = SampleWeb(folder, hosts, tuple(f"http://{host}/" for host in hosts))

    def fill(scratch: Path) -> None:
        building, papers = _build(seed, scale, departments, progress or (lambda *_: None))
        _write(scratch, building, papers)

    write_folder_once(folder, marker, fill)
    return web


def write_folder_once(folder: Path, marker: Mapping[str, object], fill: Callable[[Path], None]) -> None:
    """Write what `fill` produces, all at once or not at all. Does nothing if the folder already has this
    marker.
    """
    if _read_marker(folder) == marker:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_abandoned(folder)
    scratch = _scratch_name(folder, os.getpid())
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        scratch.mkdir()
        fill(scratch)
        (scratch / MARKER).write_text(json.dumps(marker), "utf-8")
        _move_into_place(scratch, folder, marker)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _read_marker(folder: Path) -> object:
    """The marker of the web in the folder; None if the folder is absent or empty. Raises ConfigError for
    any other content, which must not be overwritten.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return None
    try:
        return json.loads((folder / MARKER).read_text("utf-8"))
    except (OSError, ValueError) as problem:
        raise ConfigError(
            f"{folder} holds files but no sample web ({problem}): name a new or empty folder for it"
        ) from problem


def _scratch_name(folder: Path, process_id: int | str) -> Path:
    return folder.parent / f".{folder.name}.{process_id}.partial"


def _clear_abandoned(folder: Path) -> None:
    """Remove what a process that was killed during generation left behind."""
    for scratch in folder.parent.glob(_scratch_name(folder, "*").name):
        process_id = scratch.name.split(".")[-2]
        if process_id.isdigit() and not _is_running(int(process_id)):
            shutil.rmtree(scratch, ignore_errors=True)


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _move_into_place(scratch: Path, folder: Path, marker: object) -> None:
    """Replace the folder, unless another process has finished the same web meanwhile, which may already
    be in use.
    """
    try:
        if folder.exists() and _read_marker(folder) != marker:
            shutil.rmtree(folder)
        scratch.rename(folder)
    except OSError:
        if _read_marker(folder) != marker:
            raise


Papers = list[tuple[Placement, Manuscript]]


def _build(
    seed: int, scale: Scale, departments: tuple[Department, ...], progress: Progress
) -> tuple[WebFiles, Papers]:
    rng = Random(seed)
    people = invent_people(rng, departments, scale.n_people)
    works = invent_works(rng, scale, departments, people)
    placements = place_papers(rng, works, scale, departments)
    building = WebFiles()
    papers = _add_papers(building, placements, works, seed, progress)
    for idx, department in enumerate(departments):
        campus = Campus(
            department,
            people[department.key],
            _banks_of(department, works),
            tuple(
                p for p in placements if department.key in {author.department for author in p.work.authors}
            ),
            scale,
        )
        add_department_pages(building, campus, rng)
        add_research_pages(building, campus, rng)
        add_traps(building, campus)
        progress("web pages", idx + 1, len(departments))
    return building, papers


def _banks_of(department: Department, works: Sequence[Work]) -> tuple[Bank, ...]:
    found = {work.bank.key: work.bank for work in works if work.department == department.key}
    return tuple(bank for _, bank in sorted(found.items()))


def _add_papers(
    building: WebFiles, placements: Sequence[Placement], works: Sequence[Work], seed: int, progress: Progress
) -> Papers:
    by_id = {work.id: work for work in works}
    papers: Papers = []
    printed: dict[str, bytes] = {}
    for idx, placement in enumerate(placements):
        work = placement.work
        rng = Random(f"{seed}/{work.id}")
        style = _style_for(work, idx)
        manuscript = write_manuscript(rng, work, [by_id[cited] for cited in work.cites], style.references)
        printed[work.id] = print_paper(manuscript, style)
        papers.append((placement, manuscript))
        progress("papers", idx + 1, len(placements))
    wanted = [p for p in placements if any(file.extension != "pdf" for file in p.files)]
    progress("PostScript", 0, len(wanted))
    converted = convert_to_postscript([printed[placement.work.id] for placement in wanted])
    postscript = {p.work.id: body for p, body in zip(wanted, converted, strict=True)}
    progress("PostScript", len(wanted), len(wanted))
    for placement in placements:
        _add_files(building, placement, printed[placement.work.id], postscript.get(placement.work.id, b""))
    add_wrong_types(building, [p.files[0].addresses[0] for p in placements])
    return papers


def _add_files(building: WebFiles, placement: Placement, pdf: bytes, postscript: bytes) -> None:
    bodies = {"pdf": lambda: pdf, "ps": lambda: postscript, "ps.gz": lambda: compress(postscript)}
    for file in placement.files:
        body = bodies[file.extension]()
        for address in file.addresses:
            if not address.query:  # with a session id, it is the same file
                building.add(address, body)


def _style_for(work: Work, idx: int) -> PaperStyle:
    """A style for a work: one suited to reports or journal articles for these, and the others in turn for
    the rest.
    """
    by_name = {style.name: style for style in STYLES}
    if work.venue.kind == "report":
        return by_name[("report", "article", "report", "workshop")[idx % 4]]
    if work.venue.kind == "journal":
        return by_name[("journal", "article", "journal", "society")[idx % 4]]
    return by_name[("conference", "proceedings", "lecture", "society", "article", "workshop")[idx % 6]]


def _write(folder: Path, building: WebFiles, papers: Papers) -> None:
    for address, body in building.files.items():
        path = folder / "sites" / address.host / address.path.removeprefix("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    rules = {
        "redirects": {str(address): list(rule) for address, rule in building.redirects.items()},
        "statuses": {str(address): status for address, status in building.statuses.items()},
        "types": {str(address): media_type for address, media_type in building.types.items()},
        "flaky": _strings(building.flaky),
        "calendars": _strings(building.calendars),
        # Lindholm's pages do not declare their character set, so its server must.
        "charsets": {d.host: d.charset for d in DEPARTMENTS if d.key == "lindholm"},
    }
    (folder / "rules.json").write_text(json.dumps(rules, indent=1, sort_keys=True), "utf-8")
    (folder / "truth.jsonl").write_text(format_paper_truth(papers), "utf-8")
    (folder / "truth_other.jsonl").write_text(format_other_truth(building.others), "utf-8")


def _strings(addresses: Iterable[Address]) -> list[str]:
    return [str(address) for address in addresses]
