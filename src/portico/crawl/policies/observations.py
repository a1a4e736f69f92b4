"""Features of a link for the learned spider, and the families of similar links it belongs to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase, digits

from portico.text.words import split_tokens
from portico.types.page import Link, PageLink, Url

Observations = list[tuple[str, float]]
"""Names and weights of observations. In a part of n words each weighs 1/√n, so that no part outweighs the
others by its length."""

MAX_WORDS = 12  # of a part, those nearest to the link

REMEMBERED = 10_000
"""Cached results per function: each link is examined twice, for the model and for its families."""

_DOCUMENT = frozenset({"pdf", "ps", "dvi", "djvu", "eps"})
_PACKED = frozenset({"gz", "z", "zip"})
_PICTURES = {"gif", "jpg", "jpeg", "png", "bmp", "svg", "ico", "tif", "tiff"}
_SOUND_AND_FILMS = {"mp3", "mp4", "avi", "mov", "mpg", "mpeg", "wav", "au", "webm"}
_MEDIA = frozenset(_PICTURES | _SOUND_AND_FILMS)
_PAGE = re.compile(r"html?|shtml|php\d?|aspx?|jsp|cgi")
_WORD = re.compile(r"[A-Z]+[a-z]*|[a-z]+|[0-9]+")  # a capital after a lower-case letter begins a new word
_SIGNS = str.maketrans(dict.fromkeys(ascii_lowercase, "a") | dict.fromkeys(digits, "0"))


Part = tuple[str, float, tuple[str, ...]]
"""Name, weight of each word, and the distinct words."""


@dataclass(frozen=True, slots=True, eq=False)
class WordGroup:
    """Observations derived from one thing. Equal things mostly yield the same group object, so that
    results for a group can be cached without comparing its words.
    """

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class LinkParts:
    """The parts of a link: its kind, the ending of its file name, and words by position."""

    kind: str
    ending: str
    groups: tuple[WordGroup, ...]

    @property
    def words(self) -> tuple[Part, ...]:
        return tuple([part for group in self.groups for part in group.parts])


def observe_link(link: Link) -> Observations:
    """The words of a link, its URL and its page: each alone, and combined with its kind."""
    parts = split_link(link)
    observations = [(f"kind={parts.kind}", 1.0), (f"ending={parts.ending}", 1.0)]
    for part, share, words in parts.words:
        observations += [(f"{part}={word}", share) for word in words]
        observations += [(f"{part},{parts.kind}={word}", share) for word in words]
    return observations


def split_link(link: Link) -> LinkParts:
    """The same before each observation gets a name, for processing many links."""
    folder, name = _place(link.target)
    groups = (
        _said(link.anchor),
        _setting(link.source, folder),
        _named(name),
        _beside(link.context),
        _ASKS if "?" in link.target else _ASKS_NOTHING,
    )
    return LinkParts(guess_kind(link.target), name.rpartition(".")[2].lower(), groups)


@lru_cache(maxsize=REMEMBERED)
def _said(anchor: str) -> WordGroup:
    words = _anchor_words(anchor)
    return WordGroup((_shared("anchor", 1.0, words[:MAX_WORDS]), ("opening", 0.5, (" ".join(words[:2]),))))


@lru_cache(maxsize=REMEMBERED)
def _setting(source: Url | None, folder: str) -> WordGroup:
    """What all links of a page into one folder have in common."""
    source_folder, source_name = _place(source) if source else ("", "")
    return WordGroup(
        (
            _shared("folder", 1.0, _address_words(folder)[-6:]),
            _shared("source", 0.7, _address_words(f"{source_folder} {source_name}")[-6:]),
            ("relation", 0.7, (_relation(source_folder, folder),)),
            ("folders", 0.5, (str(min(folder.count("/"), 6)),)),
        )
    )


@lru_cache(maxsize=REMEMBERED)
def _named(name: str) -> WordGroup:
    words = _address_words(name.partition(".")[0])[:6]
    return WordGroup((_shared("file", 1.0, words), ("pattern", 0.5, (generalize_name(name),))))


@lru_cache(maxsize=REMEMBERED)
def _beside(context: str) -> WordGroup:
    before, _, after = context.partition("…")
    words = [*_words(split_tokens(before)[-MAX_WORDS:]), *_words(split_tokens(after)[:MAX_WORDS])]
    return WordGroup((_shared("near", 0.7, words),))


_ASKS, _ASKS_NOTHING = WordGroup((("query", 0.5, ("some",)),)), WordGroup((("query", 0.5, ("none",)),))


def _shared(part: str, weight: float, words: Sequence[str]) -> Part:
    unique = tuple(dict.fromkeys(words)) or ("-",)
    return part, weight / len(unique) ** 0.5, unique


def find_families(sighting: PageLink) -> tuple[str, ...]:
    """The groups of similar links a link belongs to: the reward of one predicts that of the others."""
    link = sighting.link
    kind = guess_kind(link.target)
    folder, name = _place(link.target)
    source = link.source or Url("")
    return (
        f"folder {kind} {folder}",
        f"source folder {kind} {_place(source)[0] if source else ''}",
        f"tags {kind} {sighting.tags}",
        f"opening {kind} {' '.join(_anchor_words(link.anchor)[:2])}",
        f"pattern {kind} {folder.partition('/')[0]} {generalize_name(name)}",
        f"page and tags {kind} {source} {sighting.tags}",
        f"page {kind} {source}",
    )


@lru_cache(maxsize=REMEMBERED)
def guess_kind(url: Url) -> str:
    """The kind of file that a URL suggests by its ending: document, page, media or something else."""
    stem, dot, ending = _place(url)[1].lower().rpartition(".")
    if not dot or _PAGE.fullmatch(ending):
        return "page"
    if ending in _PACKED and "." in stem:
        packed = stem.rpartition(".")[2]
        return "document" if packed in _DOCUMENT else "other"
    if ending in _DOCUMENT:
        return "document"
    return "media" if ending in _MEDIA else "other"


@lru_cache(maxsize=REMEMBERED)
def generalize_name(name: str) -> str:
    """The pattern of a file name: "cs-tr99.ps" becomes "a-a0"."""
    signs = (name.rpartition(".")[0] or name).lower().translate(_SIGNS)
    for sign in ("a", "0"):
        while sign * 2 in signs:
            signs = signs.replace(sign * 2, sign)
    return signs[:8]


@lru_cache(maxsize=REMEMBERED)  # a page is the source of all its links
def _place(url: Url) -> tuple[str, str]:
    """Folder and file name of a URL."""
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
    return _words(" ".join(_WORD.findall(text)).lower().split())


@lru_cache(maxsize=REMEMBERED)
def _anchor_words(text: str) -> list[str]:
    return _words(split_tokens(text))


def _words(tokens_: Iterable[str]) -> list[str]:
    """The words, with numbers replaced: one word for years, one for all others, because numbers differ
    from site to site.
    """
    return [(("<year>" if len(one) == 4 else "<number>") if one.isdigit() else one) for one in tokens_]
