"""Addresses inside the portal, and which addresses outside it may be linked to."""

from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlencode, urlsplit

from portico.types.record import EntityId

_OUTSIDE = frozenset({"http", "https", "ftp"})


def paper_url(entity: EntityId) -> str:
    return f"/paper/{quote(entity, safe='')}"


def topic_url(path: Sequence[str]) -> str:
    return "/topic/" + "/".join(quote(part, safe="") for part in path)


def search_url(query: str, **parameters: str | int | None) -> str:
    """The results page; parameters that are empty are left out."""
    return with_parameters("/search", {"q": query, **parameters})


def author_url(name: str) -> str:
    """Everything by this person, as far as names tell."""
    return search_url(f'author:"{name.replace(chr(34), " ")}"')


def with_parameters(path: str, parameters: Mapping[str, str | int | None]) -> str:
    # Halves of characters, which broken files contain, cannot be written in an address.
    kept = {name: _encodable(str(value)) for name, value in parameters.items() if value not in (None, "")}
    return f"{path}?{urlencode(kept)}" if kept else path


def outside_url(address: str) -> str | None:
    """The address if a visitor can safely be sent there; None for `javascript:` and the like."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return None
    return address.strip() if parts.scheme.lower() in _OUTSIDE and parts.netloc else None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
