"""What our own spider looks at: a link as weighted observations, and the families of links it belongs to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from portico.crawl.neighborhood import Sighting
from portico.text.words import tokens
from portico.types.page import Link, Url

Observations = list[tuple[str, float]]
"""Names and weights. A part of n words gives each 1/√n, so that no part outweighs the others by length."""

MAX_WORDS = 12  # of a part, from where it is nearest to the link

REMEMBERED = 10_000
"""Answers kept of each question: a link is looked at twice, by the model and for its families."""

_DOCUMENT = re.compile(r"\.(?:pdf|ps|dvi|djvu|eps)(?:\.gz|\.z|\.zip)?$", re.IGNORECASE)
_MEDIA = re.compile(
    r"\.(?:gif|jpe?g|png|bmp|svg|ico|tiff?|mp3|mp4|avi|mov|mpe?g|wav|au|webm)$", re.IGNORECASE
)
_PAGE = re.compile(r"(?:\.(?:html?|shtml|php\d?|aspx?|jsp|cgi)|/|/[^./]*)$", re.IGNORECASE)
_CAMEL = re.compile(r"([a-z])([A-Z])")
_RUN = re.compile(r"[a-z]+|[0-9]+")
_LETTERS, _DIGITS = re.compile(r"[a-z]+"), re.compile(r"[0-9]+")


Part = tuple[str, float, tuple[str, ...]]
"""Name, weight of each word, words without repeats."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What there is to a link: its kind, how its file name ends, and words by where they stand."""

    kind: str
    ending: str
    words: tuple[Part, ...]


def observe(link: Link) -> Observations:
    """The words of a link, its address and the page it stands on: each alone, and together with its kind."""
    parts = parts_of(link)
    observations = [(f"kind={parts.kind}", 1.0), (f"ending={parts.ending}", 1.0)]
    for part, share, words in parts.words:
        observations += [(f"{part}={word}", share) for word in words]
        observations += [(f"{part},{parts.kind}={word}", share) for word in words]
    return observations


def parts_of(link: Link) -> Parts:
    """The same before each observation has a name, for whoever has to look at many links."""
    kind = kind_of(link.target)
    folder, name = _place(link.target)
    before, _, after = link.context.partition("…")
    anchor = _anchor_words(link.anchor)
    near = [*_words(tokens(before)[-MAX_WORDS:]), *_words(tokens(after)[:MAX_WORDS])]
    words = (
        _shared("anchor", 1.0, anchor[:MAX_WORDS]),
        *_setting(link.source, folder),
        _shared("file", 1.0, _address_words(name.partition(".")[0])[:6]),
        _shared("near", 0.7, near),
        ("pattern", 0.5, (pattern(name),)),
        ("opening", 0.5, (" ".join(anchor[:2]),)),
        ("query", 0.5, ("some" if "?" in link.target else "none",)),
    )
    return Parts(kind, name.rpartition(".")[2].lower(), words)


@lru_cache(maxsize=REMEMBERED)
def _setting(source: Url | None, folder: str) -> tuple[Part, ...]:
    """What all links of a page into one folder have in common."""
    source_folder, source_name = _place(source) if source else ("", "")
    return (
        _shared("folder", 1.0, _address_words(folder)[-6:]),
        _shared("source", 0.7, _address_words(f"{source_folder} {source_name}")[-6:]),
        ("relation", 0.7, (_relation(source_folder, folder),)),
        ("folders", 0.5, (str(min(folder.count("/"), 6)),)),
    )


def _shared(part: str, weight: float, words: Sequence[str]) -> Part:
    unique = tuple(dict.fromkeys(words)) or ("-",)
    return part, weight / len(unique) ** 0.5, unique


def families(sighting: Sighting) -> tuple[str, ...]:
    """The groups of like links a link is one of: what one of them brings tells of the others."""
    link = sighting.link
    kind = kind_of(link.target)
    folder, name = _place(link.target)
    source = link.source or Url("")
    return (
        f"folder {kind} {folder}",
        f"source folder {kind} {_place(source)[0] if source else ''}",
        f"tags {kind} {sighting.tags}",
        f"opening {kind} {' '.join(_anchor_words(link.anchor)[:2])}",
        f"pattern {kind} {folder.partition('/')[0]} {pattern(name)}",
        f"page and tags {kind} {source} {sighting.tags}",
    )


@lru_cache(maxsize=REMEMBERED)
def kind_of(url: Url) -> str:
    """What an address promises by its ending: document, page, media or something else."""
    path = url.partition("?")[0]
    if _DOCUMENT.search(path):
        return "document"
    if _MEDIA.search(path):
        return "media"
    return "page" if _PAGE.search(path) else "other"


@lru_cache(maxsize=REMEMBERED)
def pattern(name: str) -> str:
    """How a file name is made: "cs-tr99.ps" becomes "a-a0"."""
    stem = name.rpartition(".")[0] or name
    return _DIGITS.sub("0", _LETTERS.sub("a", stem.lower()))[:8]


@lru_cache(maxsize=REMEMBERED)  # a page is the source of all its links
def _place(url: Url) -> tuple[str, str]:
    """Folder and file name of an address."""
    folder, _, name = url.partition("?")[0].split("/", 3)[3].rpartition("/")
    return folder, name


def _relation(source: str, target: str) -> str:
    if source == target:
        return "same"
    if not source or target.startswith(f"{source}/"):
        return "below"
    if not target or source.startswith(f"{target}/"):
        return "above"
    return "beside" if source.rpartition("/")[0] == target.rpartition("/")[0] else "far"


@lru_cache(maxsize=REMEMBERED)  # links of a page share folders
def _address_words(text: str) -> list[str]:
    return _words(_RUN.findall(_CAMEL.sub(r"\1 \2", text).lower()))


@lru_cache(maxsize=REMEMBERED)
def _anchor_words(text: str) -> list[str]:
    return _words(tokens(text))


def _words(tokens_: Iterable[str]) -> list[str]:
    """Numbers become one of two words: they never repeat from site to site, but years are years."""
    return [(("<year>" if len(one) == 4 else "<number>") if one.isdigit() else one) for one in tokens_]
