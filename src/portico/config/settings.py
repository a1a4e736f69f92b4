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
    allow_between,
    allow_one_of,
    allow_size,
    allow_text,
    define_key,
)
from portico.config.serve_settings import ScheduleSettings, ServeSettings, ThemeSettings

CUSTOM = "custom"
DOMAINS = ("papers", "organisations", CUSTOM)
POLICIES = ("learned", "paths", "breadth-first", "immediate", "future")
LOCAL_ENGINE, DASK_ENGINE = "local", "dask"
ENGINES = (LOCAL_ENGINE, DASK_ENGINE)
OCR = ("auto", "never")
RANKINGS = ("bm25f", "log-tf")

AUTO_TREE, INDUCED_TREE = "auto", "induced"
TREES = (AUTO_TREE, "computer-science", "all-sciences", INDUCED_TREE)

KILOBYTE = 1_000
MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PortalSettings:
    """What visitors see first."""

    title: str = define_key("Search portal", "The portal's name, at the top of every page.", SOME_LINE)
    description: str = define_key("", "One sentence under the name on the home page.", ONE_LINE)
    domain: str = define_key(
        "papers",
        "What the portal collects; custom is what domain.toml, beside this file, declares.",
        allow_one_of(*DOMAINS),
    )


@dataclass(frozen=True, slots=True)
class WebSource:
    """Pages of the web: where to start, and which hosts belong to it."""

    seeds: tuple[str, ...] = define_key(
        (), "Addresses to start from.", WEB_ADDRESS, example=("https://www.cs.example.edu/",)
    )
    sites: str = define_key(
        "",
        "A text file with more such addresses, one a line; # begins a comment.",
        ONE_LINE,
        example="sites.txt",
    )
    hosts: tuple[str, ...] = define_key(
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

    folder: str = define_key(
        MISSING, "A folder, relative to the portal's own; ~ is your home.", SOME_LINE, example="../papers"
    )
    patterns: tuple[str, ...] = define_key(
        (
            *("*.pdf", "*.ps", "*.pdf.gz", "*.ps.gz", "*.ps.Z", "*.ps.bz2", "*.dvi", "*.dvi.gz"),
            *("*.docx", "*.odt", "*.epub", "*.html", "*.htm", "*.tex"),
        ),
        "Which files to read; capitals do not matter.",
        FILE_PATTERN,
    )

    def path(self, portal: Path) -> Path:
        """Where the folder is, for a portal in that folder."""
        return portal / os.path.expanduser(self.folder)


@dataclass(frozen=True, slots=True)
class SpiderSettings:
    """How far the crawl goes."""

    policy: str = define_key(
        "learned",
        "Which link to follow next: the most promising by what was learned on other sites and on this crawl; "
        "by paths that were taught (portico teach); or the one nearest to a seed; immediate and future are "
        "spiders of the literature, for comparison.",
        allow_one_of(*POLICIES),
    )
    worth: float = define_key(
        0.02,
        "Of policy paths: leave links that promise less than this share of a sure link to a goal; 0 to "
        "follow all.",
        allow_between(0.0, 1.0, ""),
    )
    max_pages: int = define_key(
        20_000, "Stop after so many pages in all; 0 for no limit.", allow_between(0, 10**9, "pages")
    )
    max_megabytes: int = define_key(
        0,
        "Stop after so many megabytes of pages and documents in all; 0 for no limit.",
        allow_between(0, 10**9, "megabytes"),
    )
    max_depth: int = define_key(
        25, "Follow no more than so many links from a seed.", allow_between(0, 1_000, "links")
    )
    max_minutes: float = define_key(
        0.0, "Stop a crawl after so many minutes; 0 for no limit.", allow_between(0, 525_600, "minutes")
    )
    max_chain: int = define_key(
        24,
        "Follow no more than so many pages in a row that differ only in numbers, like days of a calendar.",
        allow_between(1, 100_000, "pages"),
    )
    max_parameters: int = define_key(
        8,
        "Addresses with more parameters behind the ? are filters that multiply, and are left out.",
        allow_between(1, 1_000, "parameters"),
    )
    max_repeats: int = define_key(
        3, "Addresses that repeat a folder more often in a row are left out.", allow_between(1, 100, "times")
    )
    refresh_days: float = define_key(
        0.0,
        "In every build ask again for pages that have likely changed, and for each at the latest after so "
        "many days; 0 to ask again only with --refresh.",
        allow_between(0, 3_650, "days"),
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How pages are asked for, and how politely."""

    user_agent: str = define_key(
        "Portico", "The name the spider gives itself, also in robots.txt.", SOME_LINE
    )
    contact: str = define_key(
        "",
        "Where the owner of a site can reach you: an address or a page. Please fill it in.",
        ONE_LINE,
        example="you@example.org",
    )
    delay_s: float = define_key(
        1.0, "Seconds between two requests to one host.", allow_between(0, 3_600, "seconds")
    )
    timeout_s: float = define_key(
        30.0, "Seconds until a page is given up.", allow_between(1, 3_600, "seconds")
    )
    max_bytes: int = define_key(
        50 * MEGABYTE, "Larger pages and files are given up.", allow_between(KILOBYTE, 10 * GIGABYTE, "bytes")
    )
    max_redirects: int = define_key(10, "Redirects followed for one page.", allow_between(0, 50, "redirects"))
    concurrency: int = define_key(
        16, "Requests under way at once, each to another host.", allow_between(1, 1_000, "requests")
    )
    proxy: str = define_key(
        "",
        "An HTTP proxy for all requests.",
        allow_text("http://host:port, or empty for none", r"(https?://[^\s/]+/?)?"),
        example="http://proxy.example.org:3128",
    )
    allow_private: bool = define_key(
        False, "Visit hosts on private addresses too (your own network, this machine)."
    )
    obey_robots: bool = define_key(True, "Obey robots.txt. Turn off only for sites of your own.")


@dataclass(frozen=True, slots=True)
class ConvertSettings:
    """How much one document may cost until it is given up."""

    timeout_s: float = define_key(120.0, "Seconds for one document.", allow_between(1, 86_400, "seconds"))
    max_memory_mb: int = define_key(
        1_024, "Memory for one document.", allow_between(128, 1_000_000, "megabytes")
    )
    max_pages: int = define_key(
        500, "Longer documents are not converted.", allow_between(1, 100_000, "pages")
    )
    max_bytes: int = define_key(
        200 * MEGABYTE, "Larger files are not converted.", allow_between(KILOBYTE, 10 * GIGABYTE, "bytes")
    )
    ocr: str = define_key(
        "auto",
        "Read scans, and text that is gibberish, by OCR: auto if tesseract is installed. About 4 s a page.",
        allow_one_of(*OCR),
    )


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The tree of topics that documents are placed in."""

    tree: str = define_key(
        AUTO_TREE,
        "Which tree that ships: auto looks at the documents first; induced is made from them.",
        allow_one_of(*TREES),
    )
    file: str = define_key(
        "",
        "A file of topics and keywords of your own, which goes before all trees that ship.",
        ONE_LINE,
        example="topics.toml",
    )


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where everything is kept."""

    url: str = define_key(
        "sqlite:///portico.db",
        "The database: a file (a relative name is in the portal's folder), or one of a PostgreSQL server.",
        allow_text(
            "sqlite:/// and a file name, or postgresql://user@host/name",
            r"sqlite:///[^?#\x00-\x1f]*[^?#\x00-\x1f/]|postgresql://[^\s/]*/[^\s/]+(\?\S*)?",
        ),
    )


@dataclass(frozen=True, slots=True)
class BlobSettings:
    """Where the bodies of pages and documents are kept."""

    url: str = define_key(
        "",
        "A folder that all machines share (file:///…) or object storage (s3://bucket/prefix); "
        "without it blobs in the portal's folder.",
        allow_text(
            "file:///folder, s3://bucket/prefix or an address of fsspec",
            r"|[a-z][a-z0-9+.-]*://[^\s\x00-\x1f]+",
        ),
        example="s3://bucket/portal",
    )


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Who does the work."""

    kind: str = define_key(
        LOCAL_ENGINE,
        "Where documents are worked on: local is this machine, dask the workers of a Dask scheduler.",
        allow_one_of(*ENGINES),
    )
    workers: int = define_key(
        0,
        "Processes at work on this machine; 0 for one a processor core. Dask has its own number.",
        allow_between(0, 1_024, "processes"),
    )
    scheduler: str = define_key(
        "",
        "The Dask scheduler: its address, or the file it wrote (a relative name is in the portal's folder).",
        allow_text("tcp://host:8786 or a file name", r"(tcp|tls)://[^\s/]+:\d{1,5}|[^:\x00-\x1f]*"),
        example="tcp://scheduler.example.edu:8786",
    )
    memory: str = define_key(
        "",
        "Memory for a stage over the whole collection; what does not fit is on disk meanwhile. "
        "Empty for half of the memory of this machine.",
        allow_size("512 MB"),
        example="2 GB",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How what is found is ordered."""

    ranking: str = define_key(
        "bm25f",
        "How well a paper fits: bm25f, or log-tf, the weighted logarithmic term frequency of early portals.",
        allow_one_of(*RANKINGS),
    )


Source = WebSource | FolderSource


@dataclass(frozen=True, slots=True)
class Settings:
    """All of portal.toml, checked."""

    sources: tuple[Source, ...]
    portal: PortalSettings = PortalSettings()
    spider: SpiderSettings = SpiderSettings()
    fetch: FetchSettings = FetchSettings()
    convert: ConvertSettings = ConvertSettings()
    topics: TopicSettings = TopicSettings()
    store: StoreSettings = StoreSettings()
    blobs: BlobSettings = BlobSettings()
    engine: EngineSettings = EngineSettings()
    search: SearchSettings = SearchSettings()
    serve: ServeSettings = ServeSettings()  # noqa: RUF009 frozen, as all of them
    theme: ThemeSettings = ThemeSettings()  # noqa: RUF009
    schedule: ScheduleSettings = ScheduleSettings()  # noqa: RUF009


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """One table of the file: its name, the class its keys are in, and what it is for."""

    name: str
    settings_class: type
    help: str


SOURCE = "source"
WEB_TABLE = SettingsTable(
    SOURCE, WebSource, "Pages of the web: where to start, and which hosts belong to it."
)
FOLDER_TABLE = SettingsTable(SOURCE, FolderSource, "Files of a folder and of all folders in it.")
PORTAL_TABLE = SettingsTable("portal", PortalSettings, "What visitors see first.")

TABLES = (
    PORTAL_TABLE,
    SettingsTable("spider", SpiderSettings, "How far the crawl goes."),
    SettingsTable("fetch", FetchSettings, "How pages are asked for, and how politely."),
    SettingsTable("convert", ConvertSettings, "How much one document may cost until it is given up."),
    SettingsTable("topics", TopicSettings, "The tree of topics that documents are placed in."),
    SettingsTable("store", StoreSettings, "Where everything is kept."),
    SettingsTable("blobs", BlobSettings, "Where the bodies of pages and documents are kept."),
    SettingsTable("engine", EngineSettings, "Who does the work."),
    SettingsTable("search", SearchSettings, "How what is found is ordered."),
    SettingsTable("serve", ServeSettings, "Where visitors find the portal."),
    SettingsTable(
        "theme",
        ThemeSettings,
        "How the portal looks. Texts, pages and templates are in the folder theme (docs/theme.md).",
    ),
    SettingsTable("schedule", ScheduleSettings, "When `portico run` builds the portal by itself."),
)
"""Every table that may stand once; [[source]] may stand many times, in one of its two forms."""
