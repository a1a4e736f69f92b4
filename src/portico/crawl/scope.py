"""Which addresses belong to a crawl: hosts, paths, and endings that cannot be pages or documents."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from portico.text.urls import get_host, get_host_name, get_path
from portico.types.page import Url

OUT_OF_SCOPE = "outside the hosts and patterns of this crawl"
NOT_A_PAGE = "its name says it is neither a page nor a document"


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts are exact names or `*.example.org`; patterns are `*` wildcards over the whole address."""

    hosts: tuple[str, ...] = ()  # empty: any host
    include: tuple[str, ...] = ()  # empty: any address
    exclude: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()  # single addresses that belong to it whatever their host
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)
    _below: frozenset[str] = field(init=False, repr=False, compare=False)  # what stands after "*."
    _pages: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # A portal may have thousands of hosts: a link is not compared with each.
        object.__setattr__(self, "_exact", frozenset(self.hosts))
        below = frozenset(host.removeprefix("*.") for host in self.hosts if host.startswith("*."))
        object.__setattr__(self, "_below", below)
        object.__setattr__(self, "_pages", frozenset(self.pages))

    def refusal(self, url: Url) -> str | None:
        """Why an address must not be fetched, None if it may be."""
        if url in self._pages:
            return None
        if (self.hosts or self.pages) and not self._includes(get_host(url)):
            return OUT_OF_SCOPE
        if (self.include and not _matches(url, self.include)) or _matches(url, self.exclude):
            return OUT_OF_SCOPE
        return NOT_A_PAGE if _is_other(get_path(url)) else None

    def _includes(self, host: str) -> bool:
        if host in self._exact:
            return True
        name = get_host_name(host)
        if name in self._exact:
            return True
        while self._below and name:
            _, _, name = name.partition(".")
            if name in self._below:
                return True
        return False


# What no converter reads and no link leads on from. A server may still say otherwise under another name.
_PICTURES = ("gif", "jpg", "jpeg", "png", "webp", "svg", "ico", "bmp", "tif", "tiff")
_MACHINERY = ("css", "js", "mjs", "woff", "woff2", "ttf", "eot", "class", "o", "so", "dll")
_SOUND = ("mp3", "m4a", "wav", "ogg")
_FILMS = ("mp4", "m4v", "ogv", "avi", "mov", "mpg", "mpeg", "wmv", "flv", "webm")
_ARCHIVES = ("zip", "rar", "7z", "tar", "tgz", "tbz", "tbz2", "bz2", "xz", "iso")
_PROGRAMS = ("dmg", "exe", "msi", "deb", "rpm", "jar", "apk")
_OFFICE = ("doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "epub")
_OTHER_ENDINGS = frozenset(_PICTURES + _MACHINERY + _SOUND + _FILMS + _ARCHIVES + _PROGRAMS + _OFFICE)
_PACKED_TREES = (".tar.gz", ".tar.z")


def _is_other(path: str) -> bool:
    _, dot, ending = path.rpartition(".")
    if not dot:
        return False
    return ending.lower() in _OTHER_ENDINGS or path.lower().endswith(_PACKED_TREES)


def _matches(url: Url, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(url, pattern) for pattern in patterns)
