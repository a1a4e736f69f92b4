"""Paths through mapped sites: departments with classified pages, companies with a goal page."""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from pathlib import Path as File

from portico.crawl.policies.training import SiteGraph
from portico.errors import ConfigError
from portico.types.page import PageLink, PageView, Url
from portico.types.path import Ending, Path, Step

FACULTY, PUBLICATIONS = "faculty", "publications"
GOALS = (FACULTY, PUBLICATIONS)
"""The goals on department sites: home pages of the faculty, and publication lists of single people."""

PEOPLE = "people"
LEAST_PEOPLE = 5
"""A page of no other class that links to so many people is a list of people, which is not one of the
classes."""

_PERSONS = ("faculty", "student", "staff")
_OTHER = "other"
_SAYS = re.compile(r"\b(?:publications?|papers|bibliography|technical reports?|articles)\b", re.IGNORECASE)
_CALLS = re.compile(r"\bcall for\b", re.IGNORECASE)
MAX_WAYS = 3  # paths to one goal, with different last links
MAX_DEAD_ENDS = 60  # dead-end paths per site; all of them would far outnumber the goals


@dataclass(frozen=True, slots=True)
class GoalSite:
    """A site for one task: the goal pages, the milestones (named pages on the way), and the paths."""

    graph: SiteGraph  # its targets are the goals
    milestones: Mapping[int, str]
    paths: tuple[Path, ...]

    @property
    def name(self) -> str:
        return self.graph.name


def read_classes(folder: File, site: SiteGraph) -> dict[int, str]:
    """The hand-made classes of a department's pages, by page number."""
    file = folder / f"webkb_classes_{site.name.removeprefix('webkb-')}.tsv"
    if not file.exists():
        raise ConfigError(f"there is no file {file}: one line a page, its path and its class")
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()[1:]]
    classes = {f"http://{site.name}.test{path}": kind for path, kind in rows}
    found = {idx: classes.get(_file(url), _OTHER) for idx, url in enumerate(site.urls)}
    return {idx: kind for idx, kind in found.items() if site.pages[idx] is not None}


def make_department_site(site: SiteGraph, classes: Mapping[int, str], goal: str) -> GoalSite:
    """A department with its goals, milestones and paths."""
    goals = frozenset(_faculty(classes) if goal == FACULTY else _publications(site, classes))
    graph = replace(site, targets=goals)
    milestones = {
        idx: kind if kind != _OTHER else PEOPLE
        for idx, kind in classes.items()
        if idx not in goals and (kind != _OTHER or _lists_people(site, idx, classes))
    }
    return GoalSite(graph, milestones, tuple(find_paths(graph, milestones)))


def make_company_site(site: SiteGraph) -> GoalSite:
    """A company's site: the goals are its targets, and there are no milestones."""
    return GoalSite(site, {}, tuple(find_paths(site, {})))


def find_paths(site: SiteGraph, milestones: Mapping[int, str]) -> Iterator[Path]:
    """The shortest path to every goal, with alternative last links, and paths to some dead ends."""
    ways = _shortest(site)
    inner = {before for before, _ in ways.values()}
    for goal in sorted(site.targets & ways.keys()):
        for before, sighting in _last_links(site, goal, ways):
            yield _path(site, (*_way_to(before, ways), (goal, sighting)), milestones, Ending.GOAL)
    ends = [end for end in sorted(ways.keys() - inner - site.targets) if site.pages[end] is not None]
    dead = [end for end in ends if not site.targets.intersection(_on(end, ways))]
    for end in dead[:: max(1, -(-len(dead) // MAX_DEAD_ENDS))]:
        yield _path(site, _way_to(end, ways), milestones, Ending.DEAD_END)


_Way = tuple[tuple[int, PageLink | None], ...]


def _shortest(site: SiteGraph) -> dict[int, tuple[int, PageLink]]:
    """For every page but the start, the page it is first found on and the link to it there."""
    ways: dict[int, tuple[int, PageLink]] = {}
    for page in range(len(site.urls)):  # numbered breadth-first
        for child, sighting in site.sightings(page):
            if child:
                ways.setdefault(child, (page, sighting))
    return ways


def _way_to(end: int, ways: Mapping[int, tuple[int, PageLink]]) -> _Way:
    steps: list[tuple[int, PageLink | None]] = []
    while end:
        before, sighting = ways[end]
        steps.append((end, sighting))
        end = before
    return ((0, None), *reversed(steps))


def _last_links(
    site: SiteGraph, goal: int, ways: Mapping[int, tuple[int, PageLink]]
) -> Iterator[tuple[int, PageLink]]:
    """Pages that link to a goal and can be reached without passing a goal, nearest to the start first."""
    n_found = 0
    for page in range(len(site.urls)):
        if page == goal or n_found == MAX_WAYS or site.targets.intersection(_on(page, ways)):
            continue
        for child, sighting in site.sightings(page):
            if child == goal:
                n_found += 1
                yield page, sighting
                break


def _on(page: int, ways: Mapping[int, tuple[int, PageLink]]) -> Iterator[int]:
    while page:
        yield page
        page = ways[page][0]


def _path(site: SiteGraph, way: _Way, milestones: Mapping[int, str], ending: Ending) -> Path:
    return Path(tuple(Step(_seen(site, idx), link, milestones.get(idx, "")) for idx, link in way), ending)


def _seen(site: SiteGraph, idx: int) -> PageView:
    return site.pages[idx] or PageView(site.urls[idx])


def _faculty(classes: Mapping[int, str]) -> Iterator[int]:
    return (idx for idx, kind in classes.items() if kind == FACULTY)


def _publications(site: SiteGraph, classes: Mapping[int, str]) -> Set[int]:
    """Pages in a person's own folder that the person links to as their publications.

    Either the link or the page title must say so; calls for papers do not count, nor do pages with a class of
    their own (a course, a project).
    """
    found = set()
    for person, kind in classes.items():
        if kind in _PERSONS:
            home = site.urls[person].rpartition("/")[0] + "/"
            for child, sighting in site.sightings(person):
                page = site.pages[child]
                said = f"{sighting.link.anchor} {page.title}" if page is not None else ""
                own = site.urls[child].startswith(home) and classes.get(child) == _OTHER
                if own and _SAYS.search(said) and not _CALLS.search(said):
                    found.add(child)
    return found


def _lists_people(site: SiteGraph, page: int, classes: Mapping[int, str]) -> bool:
    return len({child for child in site.children[page] if classes.get(child) in _PERSONS}) >= LEAST_PEOPLE


def _file(url: Url) -> str:
    """The file that a web server shows for a URL."""
    return re.sub(r"(?<!:)//+", "/", f"{url}index.html" if url.endswith("/") else url)
