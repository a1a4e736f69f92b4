"""URLs inside the portal, and which URLs outside it may be linked to."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from urllib.parse import quote, quote_plus, urlsplit

from portico.types.record import AuthorId, EntityId

_OUTSIDE = frozenset({"http", "https", "ftp"})


# The same names and topics occur on many pages.
_remembered = lru_cache(maxsize=20_000)


def make_paper_url(entity: EntityId) -> str:
    return f"/paper/{_quote_in_path(entity)}"


def make_topic_url(path: Sequence[str]) -> str:
    return _make_topic_url(tuple(path))


@_remembered
def _make_topic_url(path: tuple[str, ...]) -> str:
    return "/topic/" + "/".join(quote(part, safe="") for part in path)


def make_search_url(query: str, **parameters: str | int | None) -> str:
    """The URL of a results page; empty parameters are left out."""
    return add_parameters("/search", {"q": query, **parameters})


def make_author_url(person: AuthorId) -> str:
    """The URL of a person's page."""
    return f"/author/{_quote_in_path(person)}"


@_remembered
def make_name_url(name: str) -> str:
    """The URL for everything by people of this name; it redirects to the person if there is only one."""
    return f"/author?name={quote_parameter(name)}"


def make_venue_url(name: str) -> str:
    """The URL of the page of a venue."""
    return f"/venue?name={quote_parameter(name)}"


def make_year_url(year: str) -> str:
    return f"/year/{year}"


def make_author_query(name: str) -> str:
    """The query that finds everything by people of this name."""
    return f'author:"{name.replace(chr(34), " ")}"'


def add_parameters(path: str, parameters: Mapping[str, str | int | None]) -> str:
    kept = [
        f"{name}={quote_parameter(str(value))}"
        for name, value in parameters.items()
        if value not in (None, "")
    ]
    return f"{path}?{'&'.join(kept)}" if kept else path


def check_outside_url(address: str) -> str | None:
    """The URL if it is safe to link to; None for `javascript:` and the like."""
    if _ORDINARY(address):
        return address
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    return address.strip() if parts.scheme.lower() in _OUTSIDE and parts.netloc else None


def get_shown_host(address: str) -> str:
    """The host of an outside URL as shown to visitors, without "www."."""
    ordinary = _ORDINARY(address)
    return ordinary[1] if ordinary else urlsplit(address).netloc.rpartition("@")[2].removeprefix("www.")


# Matches nearly all URLs, so that they need no parsing, which is too slow for twenty results per page.
_ORDINARY = re.compile(r"https?://(?:www\.)?([a-z0-9.-]+)(?:/[!-~]*)?").fullmatch


@_remembered
def quote_parameter(text: str) -> str:
    """The text quoted for a query string. Lone surrogates, which come from broken files, are replaced."""
    return quote_plus(text.encode("utf-8", "replace"))


def _quote_in_path(name: str) -> str:
    """The id quoted for a path. Most ids are only letters and digits, which is checked first because it
    is faster.
    """
    return name if name.isascii() and name.isalnum() else quote(name, safe="")
