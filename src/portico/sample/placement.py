"""Decides where in the sample web each paper is found and in which formats, and maps URLs to files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from portico.sample.banks import Scale
from portico.sample.people import Department, FictitiousPerson, to_ascii_letters
from portico.sample.works import Work

SHELVES = ("personal", "yearly", "project", "yearly", "personal", "library")
CHANCE_COPY = 0.25  # that a co-author keeps a copy of the same file
CHANCE_SESSION = 0.08  # that a list links to the file with a session id as well


@dataclass(frozen=True, slots=True)
class Address:
    """A URL of the sample web: host, path, and query without the question mark."""

    host: str
    path: str
    query: str = ""

    def __str__(self) -> str:
        return f"http://{self.host}{self.path}" + (f"?{self.query}" if self.query else "")


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """One format of a paper and all URLs that serve it."""

    extension: str  # pdf, ps, ps.gz
    addresses: tuple[Address, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a paper is. `shelf` is the kind of list that links to it; with "robots" and "orphan", it is
    hidden.
    """

    work: Work
    shelf: str
    owner: FictitiousPerson
    files: tuple[PlacedFile, ...]

    @property
    def reachable(self) -> bool:
        return self.shelf not in ("robots", "orphan")


def place_papers(
    rng: Random, works: Sequence[Work], scale: Scale, departments: Sequence[Department]
) -> tuple[Placement, ...]:
    """A placement for every work that is in the sample web."""
    held = [work for work in works if work.held]
    hosts = {department.key: department.host for department in departments}
    hidden = _hidden(rng, held, scale, departments)
    postscript = set(rng.sample([work.id for work in held], scale.n_postscript))
    placements = []
    n_postscript = 0
    for idx, work in enumerate(held):
        shelf = hidden.get(work.id) or _shelf(work, idx, departments)
        extensions = ["pdf"]
        if work.id in postscript:
            extensions = (["ps"], ["pdf", "ps.gz"], ["ps.gz"], ["pdf", "ps"])[n_postscript % 4]
            n_postscript += 1
        owner = next(
            (author for author in work.authors if author.department == work.department), work.authors[0]
        )
        files = tuple(_file(rng, work, shelf, owner, extension, hosts) for extension in extensions)
        placements.append(Placement(work, shelf, owner, files))
    return tuple(placements)


def make_slug(text: str, n_words: int = 2) -> str:
    """A short file name made of the first long words of the text."""
    words = [to_ascii_letters(word) for word in text.replace("-", " ").split()]
    return "-".join([word for word in words if len(word) > 3][:n_words])


def _hidden(
    rng: Random, held: Sequence[Work], scale: Scale, departments: Sequence[Department]
) -> dict[str, str]:
    """Works that a polite crawler cannot find, with the reason. Lindholm is left out of "robots", as it
    has no robots.txt.
    """
    n_each = scale.n_hidden
    guarded = {department.key for department in departments if department.key != "lindholm"}
    behind = rng.sample([work.id for work in held if work.department in guarded], n_each)
    orphans = rng.sample([work.id for work in held if work.id not in behind], n_each)
    return {**dict.fromkeys(behind, "robots"), **dict.fromkeys(orphans, "orphan")}


def _shelf(work: Work, idx: int, departments: Sequence[Department]) -> str:
    if work.venue.kind == "report":
        return "reports"
    return SHELVES[idx % len(SHELVES)]


def _file(
    rng: Random, work: Work, shelf: str, owner: FictitiousPerson, extension: str, hosts: dict[str, str]
) -> PlacedFile:
    host = hosts[work.department]
    stem = f"{make_slug(work.title)}-{work.id.rsplit('-', 1)[1]}"
    addresses = [Address(host, _path(work, shelf, owner, stem, extension))]
    if shelf in ("robots", "orphan"):
        return PlacedFile(extension, tuple(addresses))
    if rng.random() < CHANCE_SESSION:
        addresses.append(Address(host, addresses[0].path, f"session={rng.randrange(16**8):08x}"))
    partners = [author for author in work.authors if author is not owner]
    if partners and rng.random() < CHANCE_COPY:
        partner = rng.choice(partners)
        name = f"{to_ascii_letters(partner.surname)}{work.year % 100:02d}-{stem}.{extension}"
        addresses.append(Address(hosts[partner.department], f"/~{partner.login}/papers/{name}"))
    return PlacedFile(extension, tuple(addresses))


def _path(work: Work, shelf: str, owner: FictitiousPerson, stem: str, extension: str) -> str:
    if shelf == "robots":
        folder = {
            "northfield": "/private/",
            "eastmere": f"/~{owner.login}/drafts/",
            "valmont": "/brouillons/",
        }
        return f"{folder.get(work.department, '/internal/')}{stem}.{extension}"
    if shelf == "orphan":
        return f"/incoming/{stem}.{extension}"
    if shelf == "reports":
        number = work.venue.full.removeprefix("Technical Report ") if work.venue.kind == "report" else stem
        return f"/techreports/{work.year}/{number}.{extension}"
    if shelf == "project":
        return f"/projects/{work.bank.key.replace('_', '-')}/papers/{stem}.{extension}"
    if shelf == "yearly":
        return f"/pubs/{work.year}/{stem}.{extension}"
    if shelf == "library":
        return f"/library/files/{to_ascii_letters(owner.surname)}-{stem}.{extension}"
    return f"/~{owner.login}/papers/{stem}.{extension}"


@dataclass(frozen=True, slots=True)
class OtherDocument:
    """A PDF, or a file that claims to be one, that is not a paper."""

    address: Address
    kind: str


@dataclass(slots=True)
class WebFiles:
    """Files by URL, and rules for URLs that are not just files. The modules that make pages fill it."""

    files: dict[Address, bytes] = field(default_factory=dict)
    redirects: dict[Address, tuple[int, str]] = field(default_factory=dict)
    statuses: dict[Address, int] = field(default_factory=dict)
    types: dict[Address, str] = field(default_factory=dict)
    flaky: list[Address] = field(default_factory=list)  # fail once, then work
    calendars: list[Address] = field(default_factory=list)  # never end
    others: list[OtherDocument] = field(default_factory=list)

    def add(self, address: Address, body: bytes) -> None:
        assert address not in self.files, f"two files at {address}"
        self.files[address] = body

    def add_other(self, address: Address, body: bytes, kind: str) -> None:
        self.add(address, body)
        self.others.append(OtherDocument(address, kind))
