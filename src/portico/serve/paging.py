"""Which page of a long list this is, and where the others are."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paging:
    """Pages are counted from 1; an address is None where there is no such page."""

    number: int
    n_pages: int
    previous: str | None
    next: str | None


def make_paging(number: int, n_items: int, *, size: int, url: Callable[[int], str]) -> Paging:
    """Where page `number` of `n_items` stands; the caller refuses numbers past the end."""
    n_pages = max(1, -(-n_items // size))
    return Paging(
        number=number,
        n_pages=n_pages,
        previous=url(number - 1) if 1 < number <= n_pages + 1 else None,
        next=url(number + 1) if number < n_pages else None,
    )


def page_number(text: str) -> int:
    """The page a visitor asked for; anything that is no page is the first."""
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 8 else 1
