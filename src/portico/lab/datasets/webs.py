"""Reads mapped web sites: archives of pages as graphs of links with rewards; what words of links mean."""

import json
import lzma
import mimetypes
import re
import tarfile
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from portico.crawl import media_types
from portico.crawl.links import view_page
from portico.crawl.policies.observations import Observations, observe_link
from portico.crawl.policies.training import SiteExamples, SiteGraph, make_link_examples, map_site
from portico.errors import ConfigError
from portico.text.markup import decode
from portico.text.urls import canonical, get_host, get_path
from portico.types.page import Link, PageLink, PageView, Url

TASKS = ("papers", "officers", "contact")

# What a web server shows for a folder.
_INDEXES = (
    "index.html", "index.htm", "Index.html", "default.htm", "default.html", "home.html", "index.shtml",
)  # fmt: skip
_TYPES = {".shtml": media_types.HTML, ".htm": media_types.HTML, ".html": media_types.HTML}


def _unheard(_line: str) -> None:
    """Ignore progress messages."""


def read_sites(
    folder: Path, task: str, *, names: Sequence[str] | None = None, tell: Callable[[str], None] = _unheard
) -> tuple[SiteGraph, ...]:
    """The graphs of all sites in a folder with reachable targets of a task; `tell` is told which were
    skipped.
    """
    if task not in TASKS:
        raise ConfigError(f"there is no spider task {task!r}; the tasks are {', '.join(TASKS)}")
    graphs = []
    for name, truth in sorted(_truths(folder / "targets.json").items()):
        archive = folder / "sites" / f"{name}.tar.xz"
        if (names is not None and name not in names) or not _written(truth, task):
            continue
        if not archive.exists():
            tell(f"{name}: skipped, there is no file {archive}")
            continue
        graph = _site(name, archive, truth, task)
        if graph.targets:
            graphs.append(graph)
        else:
            tell(f"{name}: skipped, none of its targets ({task}) can be reached from its start")
    return tuple(graphs)


def read_site_files(folder: Path, name: str) -> dict[str, bytes]:
    """The files of a site, by their path."""
    archive = folder / "sites" / f"{name}.tar.xz"
    if not archive.exists():
        raise ConfigError(f"there is no file {archive}; the folder of sites has sites/*.tar.xz")
    return {f"/{path}": body for path, body in _unpacked(archive).items()}


WORDS_SIZE = 1500
"""Links of a site that counts as much as the words that are known without any site."""


def read_link_words(task: str) -> tuple[SiteExamples, ...]:
    """What links usually lead to, by their words, as examples that no site was needed for; none for papers.

    A dozen sites have few words for the same things, and only some languages; other sites have others.
    """
    text = Path(__file__).with_name("link_words.toml").read_text("utf-8")
    rows, rates = [], []
    for group in tomllib.loads(text).get(task, ()):
        for number, phrase in enumerate(group["phrases"]):
            ending = group["endings"][number % len(group["endings"])]
            target = Url(f"http://words.test/{phrase.replace(' ', '-')}{ending}")
            rows.append(_observe_words(Link(target, None, phrase)))
            rates.append(group["rate"])
    return (make_link_examples("words", rows, rates, size=WORDS_SIZE),) if rows else ()


_OF_SITES = frozenset({"source", "relation", "folders", "query"})  # observations that words tell nothing of


def _observe_words(link: Link) -> Observations:
    return [
        (name, share)
        for name, share in observe_link(link)
        if re.split("[,=]", name)[0] not in _OF_SITES and not name.endswith("=-")  # "-" stands for no words
    ]


def _truths(path: Path) -> Mapping[str, Mapping[str, Any]]:
    if not path.exists():
        raise ConfigError(f"there is no file {path}; the folder of sites has targets.json and sites/*.tar.xz")
    try:
        truths = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path}: is not JSON ({error})") from error
    if not isinstance(truths, dict) or not all(isinstance(truth, dict) for truth in truths.values()):
        raise ConfigError(f'{path}: must say of each site what is sought, as {{"SITE": {{"papers": [...]}}}}')
    return truths


def _site(name: str, archive: Path, truth: Mapping[str, Any], task: str) -> SiteGraph:
    tree = _unpacked(archive)
    host = f"{name}.test"
    elsewhere = _addresses((*truth.get("papers", ()), *truth.get("course_documents", ())), host)
    targets = _addresses(_written(truth, task), host)
    start = _address(truth.get("start") or "/index.html", host)
    read = _Reader(host, tree, frozenset(elsewhere))
    graph = map_site(read, start, targets, name=name, any_target=task != "papers")
    if task != "papers":
        return graph
    numbers = {url: number for number, url in enumerate(graph.urls)}
    documents = elsewhere | _labelled(archive.parent.parent / "labels" / f"{name}.tsv", host)
    return replace(graph, documents=frozenset(numbers[url] for url in documents if url in numbers))


def _labelled(table: Path, host: str) -> set[Url]:
    """All documents of a site, papers or not, if there is a table of them."""
    if not table.exists():
        return set()
    rows = table.read_text(encoding="utf-8").splitlines()[1:]
    return _addresses((row.partition("\t")[0] for row in rows), host)


def _unpacked(archive: Path) -> dict[str, bytes]:
    try:
        with tarfile.open(archive) as tar:
            return {
                member.name.removeprefix("./"): file.read()
                for member in tar
                if member.isfile() and (file := tar.extractfile(member)) is not None
            }
    except (tarfile.TarError, lzma.LZMAError, EOFError, OSError) as error:
        raise ConfigError(
            f"{archive}: cannot be unpacked ({error}); get it again, or take the site out of targets.json"
        ) from error


class _Reader:
    """Shows the pages in an archive as a spider would see them."""

    def __init__(self, host: str, tree: Mapping[str, bytes], elsewhere: frozenset[Url]) -> None:
        self._host = host
        self._tree = tree
        self._elsewhere = elsewhere

    def __call__(self, url: Url) -> PageView | None:
        name = re.sub(r"/+", "/", unquote(get_path(url))).lstrip("/")
        redirect = self._redirect(name, url)
        if redirect is not None:
            return PageView(url, sightings=(PageLink(Link(redirect, url)),))
        body = self._body(name, url)
        if body is None:
            return None
        declared = _TYPES.get(Path(name).suffix.lower()) or mimetypes.guess_type(name)[0] or ""
        if media_types.detect_media_type(declared, body[: media_types.SNIFFED_BYTES]) != media_types.HTML:
            return None
        seen = view_page(decode(body), url)
        kept = [self._placed(sighting) for sighting in seen.sightings]
        unique = {one.link.target: one for one in reversed(kept) if one is not None}
        return PageView(url, seen.title, seen.headings, seen.text, tuple(reversed(unique.values())))

    def _redirect(self, name: str, url: Url) -> Url | None:
        """The URL with a slash, if the URL of a folder lacks it."""
        if name in self._tree or url.endswith("/") or not self._index(name):
            return None
        return canonical(url.partition("?")[0] + "/")

    def _body(self, name: str, url: Url) -> bytes | None:
        index = self._index(name) if url.endswith("/") else None
        candidates = (name, index or name, f"{name}.html", f"{name}.htm")
        return next((self._tree[one] for one in candidates if one in self._tree), None)

    def _index(self, name: str) -> str | None:
        names = (f"{name.rstrip('/')}/{index}".lstrip("/") for index in _INDEXES)
        return next((one for one in names if one in self._tree), None)

    def _placed(self, sighting: PageLink) -> PageLink | None:
        """The link if it counts: within the site, or to a known document on another host."""
        link = sighting.link
        if get_host(link.target) == self._host:
            return sighting
        target = _in_tree(link.target, self._host)
        if target not in self._elsewhere:
            return None
        return PageLink(Link(target, link.source, link.anchor, link.context), sighting.heading, sighting.tags)


def _in_tree(url: Url, host: str) -> Url:
    """The URL under which an archive of several hosts has a page of another host: below the site's own
    host.
    """
    scheme, _, owner, path = url.split("/", 3)
    return url if owner == host else Url(f"{scheme}//{host}/{owner.replace(':', '_')}/{path}")


def _address(written: str, host: str) -> Url:
    url = canonical(f"http://{host}{written}" if written.startswith("/") else written)
    if url is None:
        raise ConfigError(f"targets.json: {written!r} is no address")
    return _in_tree(url, host)


def _addresses(written: Iterable[str], host: str) -> set[Url]:
    return {_address(one, host) for one in written}


def _written(truth: Mapping[str, Any], task: str) -> tuple[str, ...]:
    """The targets in targets.json as a tuple: they may be a list, a single URL, or missing."""
    value = truth.get(task)
    return (value,) if isinstance(value, str) else tuple(value or ())
