"""What a path model looks at: a page by its words and address, a link by its words, place and target."""

import re

from portico.crawl.policies.observations import split_link
from portico.learn.chain_crf import Seen
from portico.text.urls import get_path
from portico.text.words import split_tokens, split_words
from portico.types.page import PageLink, PageView, Url

MAX_PAGE_WORDS = 120  # different words of a page's text, from its top: what a page is, it says there
MAX_HEADING_WORDS = 30

_PARTS = re.compile(r"[a-z]+|[0-9]+")
_ADDRESS_PARTS = (
    "folder",
    "source",
    "folders",
    "pattern",
)  # of a spider's observations; here addresses are read anew
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")


def observe_path_page(page: PageView) -> Seen:
    """Words of the page, its title and headings, and the parts of its address."""
    return (
        *_shared("text", 1.0, split_words(page.text), MAX_PAGE_WORDS),
        *_shared("title", 1.0, split_words(page.title), MAX_HEADING_WORDS),
        *_shared("heading", 0.7, split_words(page.headings), MAX_HEADING_WORDS),
        *_address("at", page.url),
    )


def observe_path_link(sighting: PageLink) -> Seen:
    """Words in and around the anchor, the heading above, and where the link leads."""
    parts = split_link(sighting.link)
    of_link = [
        (f"{part}={word}", weight)
        for part, weight, said in parts.words
        if part not in _ADDRESS_PARTS
        for word in said
    ]
    return (
        (f"kind={parts.kind}", 1.0),
        *of_link,
        *_shared("above", 0.7, split_tokens(sighting.heading), MAX_HEADING_WORDS),
        *_address("to", sighting.link.target),
    )


def _address(part: str, url: Url) -> Seen:
    """The tokens of an address: a tilde, folders, the file and how deep it lies."""
    path = get_path(url).partition("?")[0]
    folder, _, name = path.lower().rpartition("/")
    stem = name.partition(".")[0]
    signs = []
    if "~" in path:
        last = folder.rpartition("/")[2]
        signs.append(f"{part} ~home" if last.startswith("~") else f"{part} ~below")
        signs += [f"{part} ~home page"] if last.startswith("~") and stem in ("", "index", "home") else []
    signs.append(f"{part} file={stem if stem.isalpha() else _shape(stem)}")
    # A folder with a dot is the name of a host in a mirrored tree: it says where, not what.
    own = " ".join(one for one in folder.split("/") if "." not in one)
    tokens_ = dict.fromkeys(_number(one) for one in _PARTS.findall(own))
    share = 1.0 / max(1, len(tokens_)) ** 0.5
    return (*((sign, 1.0) for sign in signs), *((f"{part}/{one}", share) for one in tokens_))


def _shape(stem: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"[0-9]+", "0", stem))[:8]


def _number(token: str) -> str:
    if not token.isdigit():
        return token
    return "<year>" if _YEAR.fullmatch(token) else "<number>"


def _shared(part: str, weight: float, found: list[str], limit: int) -> Seen:
    """Different words, each with 1/√n of the part's weight: long parts do not drown the others."""
    unique = list(dict.fromkeys(found))[:limit]
    share = weight / max(1, len(unique)) ** 0.5
    return tuple((f"{part}={_number(word)}", share) for word in unique)
