"""All keys of portal.toml: one row each, with type, default, validation and help.

Checking, the commented template of `portico init` and the table in docs/portal-toml.md are all
made from these rows.
"""

import os
from dataclasses import MISSING, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from portico.config.keys import (
    CONTACT,
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
from portico.config.serve_settings import (
    BlobSettings,
    EnrichSettings,
    ScheduleSettings,
    ServeSettings,
    StoreSettings,
    ThemeSettings,
)

CUSTOM = "custom"
DOMAINS = ("papers", "organisations", CUSTOM)
DEFAULT_METHOD, BOOTSTRAPPING, WORDS = "default", "bootstrapping", "words"
POLICIES = (
    "learned", "paths", "breadth-first", "immediate", "future", "future-4", "future-5",
    "immediate-full-page", "future-full-page", "future-4-full-page", "future-5-full-page",
)  # fmt: skip
LOCAL_ENGINE, DASK_ENGINE = "local", "dask"
ENGINES = (LOCAL_ENGINE, DASK_ENGINE)
OCR = ("auto", "never")
RANKINGS = ("bm25f", "log-tf")
LANGUAGES = ("en", "de", "es", "fr")
"""In which pages can be, by the codes of ISO 639-1; texts are written in the first."""

AUTO_TREE, INDUCED_TREE = "auto", "induced"
TREES = (AUTO_TREE, "computer-science", "all-sciences", INDUCED_TREE)

KILOBYTE = 1_000
MEGABYTE = 1_000_000
GIGABYTE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class PortalSettings:
    """Name and subject of the portal."""

    title: str = define_key("Search portal", "The portal's name, at the top of every page.", SOME_LINE)
    description: str = define_key("", "One sentence under the name on the home page.", ONE_LINE)
    domain: str = define_key(
        "papers",
        "What the portal collects; custom means whatever domain.toml, next to this file, declares.",
        allow_one_of(*DOMAINS),
    )
    language: str = define_key(
        LANGUAGES[0],
        "The language of feeds, of plain files, and of pages for visitors whose browser asks for none of "
        "those below.",
        allow_one_of(*LANGUAGES),
    )
    languages: tuple[str, ...] = define_key(
        LANGUAGES,
        "The languages that visitors can choose from; with one alone there is no choice.",
        allow_one_of(*LANGUAGES),
    )


@dataclass(frozen=True, slots=True)
class WebSource:
    """A part of the web: where to start, and which hosts belong to it."""

    seeds: tuple[str, ...] = define_key(
        (), "URLs to start from.", WEB_ADDRESS, example=("https://www.cs.example.edu/",)
    )
    sites: str = define_key(
        "",
        "A text file with more such URLs, one per line; lines that begin with # are comments.",
        ONE_LINE,
        example="sites.txt",
    )
    hosts: tuple[str, ...] = define_key(
        (),
        "Further hosts to visit. The hosts of the URLs above are always visited; no others are.",
        HOST_PATTERN,
        example=("*.cs.example.edu",),
    )

    @property
    def visited_hosts(self) -> tuple[str, ...]:
        """Hosts of the seeds, then the patterns under `hosts`; lower-case, without duplicates."""
        own = (urlsplit(seed).hostname or "" for seed in self.seeds)
        return tuple(dict.fromkeys((*own, *(host.lower() for host in self.hosts))))


@dataclass(frozen=True, slots=True)
class FolderSource:
    """The files in a folder and its subfolders."""

    folder: str = define_key(
        MISSING,
        "A folder, relative to the portal's folder; ~ is your home directory.",
        SOME_LINE,
        example="../papers",
    )
    patterns: tuple[str, ...] = define_key(
        (
            *("*.pdf", "*.ps", "*.pdf.gz", "*.ps.gz", "*.ps.Z", "*.ps.bz2", "*.dvi", "*.dvi.gz"),
            *("*.docx", "*.odt", "*.epub", "*.html", "*.htm", "*.tex"),
        ),
        "Which files to read; case does not matter.",
        FILE_PATTERN,
    )

    def path(self, portal: Path) -> Path:
        """Return the folder's path, for a portal in the folder `portal`."""
        return portal / os.path.expanduser(self.folder)


@dataclass(frozen=True, slots=True)
class SpiderSettings:
    """How far the crawl goes, and in which order."""

    policy: str = define_key(
        "learned",
        "Which link to follow next: learned prefers the most promising, judged by a trained model and this "
        "crawl so far; paths follows what was taught with `portico teach`; breadth-first takes the link "
        "nearest to a seed; the others are published spiders, for comparison: values of links in 2 bins "
        "(immediate), 3 (future), 4 or 5, by words near the link or of the full page.",
        allow_one_of(*POLICIES),
    )
    worth: float = define_key(
        0.02,
        "For policy paths: skip links worth less than this fraction of a certain link to a goal; 0 follows "
        "all.",
        allow_between(0.0, 1.0, ""),
    )
    max_pages: int = define_key(
        20_000, "Stop after this many pages in total; 0 means no limit.", allow_between(0, 10**9, "pages")
    )
    max_megabytes: int = define_key(
        0,
        "Stop after this many megabytes of pages and documents in total; 0 means no limit.",
        allow_between(0, 10**9, "megabytes"),
    )
    max_depth: int = define_key(
        25, "Follow at most this many links in a row, counted from a seed.", allow_between(0, 1_000, "links")
    )
    max_minutes: float = define_key(
        0.0, "Stop a crawl after this many minutes; 0 means no limit.", allow_between(0, 525_600, "minutes")
    )
    max_chain: int = define_key(
        24,
        "Follow at most this many pages in a row whose URLs differ only in numbers, like days of a calendar.",
        allow_between(1, 100_000, "pages"),
    )
    max_parameters: int = define_key(
        8,
        "Skip URLs with more query parameters than this: combinations of filters multiply endlessly.",
        allow_between(1, 1_000, "parameters"),
    )
    max_repeats: int = define_key(
        3,
        "Skip URLs that repeat the same folder more often than this in a row.",
        allow_between(1, 100, "times"),
    )
    refresh_days: float = define_key(
        0.0,
        "In every build, check pages that have probably changed, and every page after this many days at the "
        "latest; 0 checks only with --refresh.",
        allow_between(0, 3_650, "days"),
    )


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How pages are requested, and how politely."""

    user_agent: str = define_key(
        "Portico", "The name of the spider, sent to sites and looked for in robots.txt.", SOME_LINE
    )
    contact: str = define_key(
        "",
        "Where site owners can reach you: an email address or a web page. Please fill it in.",
        CONTACT,
        example="you@example.org",
    )
    delay_s: float = define_key(
        1.0, "Seconds between two requests to the same host.", allow_between(0, 3_600, "seconds")
    )
    timeout_s: float = define_key(
        30.0, "Seconds after which a request is given up.", allow_between(1, 3_600, "seconds")
    )
    max_bytes: int = define_key(
        50 * MEGABYTE,
        "Larger pages and files are not fetched.",
        allow_between(KILOBYTE, 10 * GIGABYTE, "bytes"),
    )
    max_harvest_megabytes: int = define_key(
        20_000,
        "Megabytes taken from a repository in one `portico import https://…`; 0 means no limit.",
        allow_between(0, 10**9, "megabytes"),
    )
    max_redirects: int = define_key(
        10, "Maximum number of redirects followed for one page.", allow_between(0, 50, "redirects")
    )
    concurrency: int = define_key(
        16, "Simultaneous requests, each to a different host.", allow_between(1, 1_000, "requests")
    )
    proxy: str = define_key(
        "",
        "An HTTP proxy for all requests.",
        allow_text("http://host:port, or empty for none", r"(https?://[^\s/]+/?)?"),
        example="http://proxy.example.org:3128",
    )
    allow_private: bool = define_key(
        False, "Allow hosts with private addresses (your own network, this machine)."
    )
    obey_robots: bool = define_key(True, "Obey robots.txt. Turn this off only for your own sites.")


@dataclass(frozen=True, slots=True)
class ConvertSettings:
    """Limits for converting one document."""

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
        "Read scans and garbled text layers by OCR: auto if tesseract is installed. About 4 s per page.",
        allow_one_of(*OCR),
    )


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """The topic tree that documents are assigned to."""

    tree: str = define_key(
        AUTO_TREE,
        "A tree that ships with Portico, or induced (made from the documents); auto picks the best fit.",
        allow_one_of(*TREES),
    )
    file: str = define_key(
        "",
        "Your own file of topics and keywords; takes precedence over `tree`.",
        ONE_LINE,
        example="topics.toml",
    )


@dataclass(frozen=True, slots=True)
class ClassifySettings:
    """How topics are learned."""

    method: str = define_key(
        DEFAULT_METHOD,
        "How topics are learned: default, or bootstrapping, a published method for comparison (keywords as a "
        "list of rules, then EM and shrinkage).",
        allow_one_of(DEFAULT_METHOD, BOOTSTRAPPING),
    )


@dataclass(frozen=True, slots=True)
class MatchSettings:
    """How references are matched."""

    method: str = define_key(
        DEFAULT_METHOD,
        "Which references mean one paper: default, or words, a published one for comparison (shared words).",
        allow_one_of(DEFAULT_METHOD, WORDS),
    )


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Where the work is done."""

    kind: str = define_key(
        LOCAL_ENGINE,
        "local processes documents on this machine, dask on the workers of a Dask scheduler.",
        allow_one_of(*ENGINES),
    )
    workers: int = define_key(
        0,
        "Number of processes on this machine; 0 means one per core. Ignored with Dask.",
        allow_between(0, 1_024, "processes"),
    )
    scheduler: str = define_key(
        "",
        "The Dask scheduler: its address or its scheduler file (a relative name is in the portal's folder).",
        allow_text("tcp://host:8786 or a file name", r"(tcp|tls)://[^\s/]+:\d{1,5}|[^:\x00-\x1f]*"),
        example="tcp://scheduler.example.edu:8786",
    )
    memory: str = define_key(
        "",
        "Memory for a stage that works on the whole collection; what does not fit goes to temporary files. "
        "Empty means half of this machine's memory.",
        allow_size("512 MB"),
        example="2 GB",
    )


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How search results are ranked."""

    ranking: str = define_key(
        "bm25f",
        "The ranking function: bm25f, or log-tf, the weighted logarithmic term frequency of early portals.",
        allow_one_of(*RANKINGS),
    )


Source = WebSource | FolderSource


@dataclass(frozen=True, slots=True)
class Settings:
    """All of portal.toml, validated."""

    sources: tuple[Source, ...]
    portal: PortalSettings = PortalSettings()
    spider: SpiderSettings = SpiderSettings()
    fetch: FetchSettings = FetchSettings()
    convert: ConvertSettings = ConvertSettings()
    topics: TopicSettings = TopicSettings()
    classify: ClassifySettings = ClassifySettings()
    match: MatchSettings = MatchSettings()
    enrich: EnrichSettings = EnrichSettings()  # noqa: RUF009
    store: StoreSettings = StoreSettings()  # noqa: RUF009
    blobs: BlobSettings = BlobSettings()  # noqa: RUF009
    engine: EngineSettings = EngineSettings()
    search: SearchSettings = SearchSettings()
    serve: ServeSettings = ServeSettings()  # noqa: RUF009 frozen, as all of them
    theme: ThemeSettings = ThemeSettings()  # noqa: RUF009
    schedule: ScheduleSettings = ScheduleSettings()  # noqa: RUF009


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """One table of the file: its name, the class of its keys, and its purpose."""

    name: str
    settings_class: type
    help: str


SOURCE = "source"
WEB_TABLE = SettingsTable(
    SOURCE, WebSource, "A part of the web: where to start, and which hosts belong to it."
)
FOLDER_TABLE = SettingsTable(SOURCE, FolderSource, "The files in a folder and its subfolders.")
PORTAL_TABLE = SettingsTable("portal", PortalSettings, "Name and subject of the portal.")

TABLES = (
    PORTAL_TABLE,
    SettingsTable("spider", SpiderSettings, "How far the crawl goes, and in which order."),
    SettingsTable("fetch", FetchSettings, "How pages are requested, and how politely."),
    SettingsTable("convert", ConvertSettings, "Limits for converting one document."),
    SettingsTable("topics", TopicSettings, "The topic tree that documents are assigned to."),
    SettingsTable("classify", ClassifySettings, "How topics are learned."),
    SettingsTable("match", MatchSettings, "How references are matched."),
    SettingsTable("enrich", EnrichSettings, "External catalogs to query about papers (docs/enrich.md)."),
    SettingsTable("store", StoreSettings, "The database."),
    SettingsTable("blobs", BlobSettings, "Where the bodies of pages and documents are stored."),
    SettingsTable("engine", EngineSettings, "Where the work is done."),
    SettingsTable("search", SearchSettings, "How search results are ranked."),
    SettingsTable("serve", ServeSettings, "How the portal is served."),
    SettingsTable(
        "theme",
        ThemeSettings,
        "How the portal looks. Texts, pages and templates go into the folder theme (docs/theme.md).",
    ),
    SettingsTable("schedule", ScheduleSettings, "When `portico run` builds the portal."),
)
"""Every table that may appear once; [[source]] may appear several times, in either of its two forms."""
