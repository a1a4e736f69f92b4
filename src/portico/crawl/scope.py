"""Which addresses belong to a crawl: hosts, paths, and endings that cannot be pages or documents."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from portico.text.urls import host_name, host_of, path_of, registered_domain
from portico.types.page import Url

OUT_OF_SCOPE = "outside the hosts and patterns of this crawl"
NOT_A_PAGE = "its name says it is neither a page nor a document"


@dataclass(frozen=True, slots=True)
class Scope:
    """Hosts are exact names or `*.example.org`; patterns are `*` wildcards over the whole address."""

    hosts: tuple[str, ...] = ()  # empty: any host
    include: tuple[str, ...] = ()  # empty: any address
    exclude: tuple[str, ...] = ()

    def refusal(self, url: Url) -> str | None:
        """Why an address must not be fetched, None if it may be."""
        if self.hosts and not _matches_host(host_of(url), self.hosts):
            return OUT_OF_SCOPE
        if (self.include and not _matches(url, self.include)) or _matches(url, self.exclude):
            return OUT_OF_SCOPE
        return NOT_A_PAGE if _OTHER_ENDING.search(path_of(url)) else None


def around(seeds: Iterable[Url]) -> Scope:
    """The sites of the seeds: every host of the domains somebody registered for them."""
    hosts: dict[str, None] = {}
    for seed in seeds:
        domain = registered_domain(host_of(seed))
        if domain == host_name(host_of(seed)):
            hosts[host_of(seed)] = None
        if "." in domain and not domain.replace(".", "").isdigit():
            hosts |= {domain: None, f"*.{domain}": None}
    return Scope(hosts=tuple(hosts))


# What no converter reads and no link leads on from. A server may still say otherwise under another name.
_OTHER_ENDING = re.compile(
    r"\.(?:gif|jpe?g|png|webp|svg|ico|bmp|tiff?|css|js|mjs|woff2?|ttf|eot"
    r"|mp3|mp4|m4a|m4v|wav|ogg|ogv|avi|mov|mpe?g|wmv|flv|webm"
    r"|zip|rar|7z|tar|tar\.gz|tar\.z|tgz|tbz2?|bz2|xz|iso|dmg|exe|msi|deb|rpm|jar|apk|class|o|so|dll"
    r"|docx?|xlsx?|pptx?|odt|ods|odp|rtf|epub)$",
    re.IGNORECASE,
)


def _matches_host(host: str, patterns: tuple[str, ...]) -> bool:
    name = host_name(host)
    return any(host == pattern or fnmatchcase(name, pattern) for pattern in patterns)


def _matches(url: Url, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(url, pattern) for pattern in patterns)
