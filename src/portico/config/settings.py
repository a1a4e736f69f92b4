"""The menu of portal.toml: one row a key, with its type, default, check and help.

Checking, the commented template of `portico init` and the table in docs/portal-toml.md are all
made from these rows.
"""

import os
from dataclasses import MISSING, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from portico.config.keys import (
    FILE_PATTERN,
    HOST_PATTERN,
    ONE_LINE,
    SOME_LINE,
    WEB_ADDRESS,
    between,
    key,
    one_of,
    text,
)

CUSTOM = "custom"
DOMAINS = ("papers", "organisations", CUSTOM)
POLICIES = ("learned", "paths", "breadth-first", "immediate", "future")
ENGINES = ("local",)
OCR = ("auto", "never")
RANKINGS = ("bm25f", "log-tf")

KILOBYTE = 1_000
MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Portal:
    """What visitors see first."""

    title: str = key("Search portal", "The portal's name, at the top of every page.", SOME_LINE)
    description: str = key("", "One sentence under the name on the home page.", ONE_LINE)
    domain: str = key(
        "papers",
        "What the portal collects; custom is what domain.toml, beside this file, declares.",
        one_of(*DOMAINS),
    )


@dataclass(frozen=True, slots=True)
class WebSource:
    """Pages of the web: where to start, and which hosts belong to it."""

    seeds: tuple[str, ...] = key(
        (), "Addresses to start from.", WEB_ADDRESS, example=("https://www.cs.example.edu/",)
    )
    sites: str = key(
        "",
        "A text file with more such addresses, one a line; # begins a comment.",
        ONE_LINE,
        example="sites.txt",
    )
    hosts: tuple[str, ...] = key(
        (),
        "Further hosts to visit. The hosts of the addresses above are always visited, no others are.",
        HOST_PATTERN,
        example=("*.cs.example.edu",),
    )

    @property
    def visited_hosts(self) -> tuple[str, ...]:
        """Hosts of the seeds, then the patterns under `hosts`; in order, without repeats, in lower case."""
        own = (urlsplit(seed).hostname or "" for seed in self.seeds)
        return tuple(dict.fromkeys((*own, *(host.lower() for host in self.hosts))))


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Files of a folder and all folders in it."""

    folder: str = key(
        MISSING, "A folder, relative to the portal's own; ~ is your home.", SOME_LINE, example="../papers"
    )
    patterns: tuple[str, ...] = key(
        ("*.pdf", "*.ps", "*.pdf.gz", "*.ps.gz", "*.ps.Z", "*.ps.bz2", "*.dvi", "*.dvi.gz"),
        "Which files to read; capitals do not matter.",
        FILE_PATTERN,
    )

    def path(self, portal: Path) -> Path:
        """Where the folder is, for a portal in that folder."""
        return portal / os.path.expanduser(self.folder)


@dataclass(frozen=True, slots=True)
class Spider:
    """How far the crawl goes."""

    policy: str = key(
        "learned",
        "Which link to follow next: the most promising by what was learned on other sites and on this crawl; "
        "by paths that were taught (portico teach); or the one nearest to a seed; immediate and future are "
        "spiders of the literature, for comparison.",
        one_of(*POLICIES),
    )
    worth: float = key(
        0.02,
        "Of policy paths: leave links that promise less than this share of a sure link to a goal; 0 to "
        "follow all.",
        between(0.0, 1.0, ""),
    )
    max_pages: int = key(
        20_000, "Stop after so many pages in all; 0 for no limit.", between(0, 10**9, "pages")
    )
    max_megabytes: int = key(
        0,
        "Stop after so many megabytes of pages and documents in all; 0 for no limit.",
        between(0, 10**9, "megabytes"),
    )
    max_depth: int = key(25, "Follow no more than so many links from a seed.", between(0, 1_000, "links"))
    max_minutes: float = key(
        0.0, "Stop a crawl after so many minutes; 0 for no limit.", between(0, 525_600, "minutes")
    )
    max_chain: int = key(
        24,
        "Follow no more than so many pages in a row that differ only in numbers, like days of a calendar.",
        between(1, 100_000, "pages"),
    )
    max_parameters: int = key(
        8,
        "Addresses with more parameters behind the ? are filters that multiply, and are left out.",
        between(1, 1_000, "parameters"),
    )
    max_repeats: int = key(
        3, "Addresses that repeat a folder more often in a row are left out.", between(1, 100, "times")
    )
    refresh_days: float = key(
        0.0,
        "In every build ask again for pages that have likely changed, and for each at the latest after so "
        "many days; 0 to ask again only with --refresh.",
        between(0, 3_650, "days"),
    )


@dataclass(frozen=True, slots=True)
class Fetch:
    """How pages are asked for, and how politely."""

    user_agent: str = key("Portico", "The name the spider gives itself, also in robots.txt.", SOME_LINE)
    contact: str = key(
        "",
        "Where the owner of a site can reach you: an address or a page. Please fill it in.",
        ONE_LINE,
        example="you@example.org",
    )
    delay_s: float = key(1.0, "Seconds between two requests to one host.", between(0, 3_600, "seconds"))
    timeout_s: float = key(30.0, "Seconds until a page is given up.", between(1, 3_600, "seconds"))
    max_bytes: int = key(
        50 * MEGABYTE, "Larger pages and files are given up.", between(KILOBYTE, 10 * GIGABYTE, "bytes")
    )
    max_redirects: int = key(10, "Redirects followed for one page.", between(0, 50, "redirects"))
    concurrency: int = key(
        16, "Requests under way at once, each to another host.", between(1, 1_000, "requests")
    )
    proxy: str = key(
        "",
        "An HTTP proxy for all requests.",
        text("http://host:port, or empty for none", r"(https?://[^\s/]+/?)?"),
        example="http://proxy.example.org:3128",
    )
    allow_private: bool = key(False, "Visit hosts on private addresses too (your own network, this machine).")
    obey_robots: bool = key(True, "Obey robots.txt. Turn off only for sites of your own.")


@dataclass(frozen=True, slots=True)
class Convert:
    """How much one document may cost until it is given up."""

    timeout_s: float = key(120.0, "Seconds for one document.", between(1, 86_400, "seconds"))
    max_memory_mb: int = key(1_024, "Memory for one document.", between(128, 1_000_000, "megabytes"))
    max_pages: int = key(500, "Longer documents are not converted.", between(1, 100_000, "pages"))
    max_bytes: int = key(
        200 * MEGABYTE, "Larger files are not converted.", between(KILOBYTE, 10 * GIGABYTE, "bytes")
    )
    ocr: str = key(
        "auto",
        "Read scans, and text that is gibberish, by OCR: auto if tesseract is installed. About 4 s a page.",
        one_of(*OCR),
    )


@dataclass(frozen=True, slots=True)
class Topics:
    """The tree of topics that documents are placed in."""

    file: str = key(
        "",
        "A file of topics and keywords; without it the tree that comes with the domain is used.",
        ONE_LINE,
        example="topics.toml",
    )


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where everything is kept."""

    url: str = key(
        "sqlite:///portico.db",
        "The database; a relative name is in the portal's folder.",
        text("sqlite:/// and a file name", r"sqlite:///[^?#\x00-\x1f]*[^?#\x00-\x1f/]"),
    )


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Who does the work."""

    kind: str = key("local", "Where documents are worked on: local is this machine.", one_of(*ENGINES))
    workers: int = key(0, "Processes at work; 0 for one a processor core.", between(0, 1_024, "processes"))


@dataclass(frozen=True, slots=True)
class Search:
    """How what is found is ordered."""

    ranking: str = key(
        "bm25f",
        "How well a paper fits: bm25f, or log-tf, the weighted logarithmic term frequency of early portals.",
        one_of(*RANKINGS),
    )


@dataclass(frozen=True, slots=True)
class Serve:
    """Where visitors find the portal."""

    host: str = key(
        "127.0.0.1",
        "The address to listen on: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody.",
        text("a host name or address", r"[A-Za-z0-9.:_-]+"),
    )
    port: int = key(8000, "The port to listen on.", between(0, 65_535, ""))


Source = WebSource | FolderSource


@dataclass(frozen=True, slots=True)
class Settings:
    """All of portal.toml, checked."""

    sources: tuple[Source, ...]
    portal: Portal = Portal()
    spider: Spider = Spider()
    fetch: Fetch = Fetch()
    convert: Convert = Convert()
    topics: Topics = Topics()
    store: StoreSettings = StoreSettings()
    engine: EngineSettings = EngineSettings()
    search: Search = Search()
    serve: Serve = Serve()


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file: its name, the class its keys are in, and what it is for."""

    name: str
    settings_class: type
    help: str


SOURCE = "source"
WEB_TABLE = Table(SOURCE, WebSource, "Pages of the web: where to start, and which hosts belong to it.")
FOLDER_TABLE = Table(SOURCE, FolderSource, "Files of a folder and of all folders in it.")
PORTAL_TABLE = Table("portal", Portal, "What visitors see first.")

TABLES = (
    PORTAL_TABLE,
    Table("spider", Spider, "How far the crawl goes."),
    Table("fetch", Fetch, "How pages are asked for, and how politely."),
    Table("convert", Convert, "How much one document may cost until it is given up."),
    Table("topics", Topics, "The tree of topics that documents are placed in."),
    Table("store", StoreSettings, "Where everything is kept."),
    Table("engine", EngineSettings, "Who does the work."),
    Table("search", Search, "How what is found is ordered."),
    Table("serve", Serve, "Where visitors find the portal."),
)
"""Every table that may stand once; [[source]] may stand many times, in one of its two forms."""
