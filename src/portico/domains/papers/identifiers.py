"""Names of papers that machines know: DOIs, arXiv numbers and addresses, found in whatever surrounds them."""

import re
from collections.abc import Callable, Iterator

from portico.types.domain import Reader, Reading

# Spaces where a line ended inside are not bridged: what follows could be anything.
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>“”,;]+", re.IGNORECASE)
_ARXIV = re.compile(
    r"\barxiv(?:\.org/(?:abs|pdf)/|\s?[:.]\s?|\s(?:preprint\s)?(?:arxiv:\s?)?)"
    r"(?P<number>\d{4}\.\d{4,5}|[a-z][a-z-]{1,12}(?:\.[a-z]{2})?/\d{7})",
    re.IGNORECASE,
)
_URL = re.compile(r"\b(?:https?|ftp)://[^\s\"'<>“”]+|\bwww\.[\w-]+\.[^\s\"'<>“”,;]+", re.IGNORECASE)
_CLOSING = {")": "(", "]": "[", "}": "{"}


def read_doi(passage: str) -> tuple[Reading, ...]:
    """The DOIs, in lower case as DOIs are compared, without the address of a resolver before them."""
    return tuple(_found(_DOI, passage, str.lower))


def read_arxiv(passage: str) -> tuple[Reading, ...]:
    """The numbers of arXiv, without the version: "1706.03762", "cs/9905014"."""
    return tuple(
        Reading(match["number"].lower(), match.start("number"), match.end("number"))
        for match in _ARXIV.finditer(passage)
    )


def read_url(passage: str) -> tuple[Reading, ...]:
    """Addresses of the web; not those of a DOI or of arXiv, which have a better name."""
    return tuple(
        reading
        for reading in _found(_URL, passage, str)
        if not _DOI.search(reading.value) and not _ARXIV.search(reading.value)
    )


def _found(pattern: re.Pattern[str], passage: str, write: Callable[[str], str]) -> Iterator[Reading]:
    for match in pattern.finditer(passage):
        value = _without_stop(match[0])
        yield Reading(write(value), match.start(), match.start() + len(value))


def _without_stop(text: str) -> str:
    """Without the punctuation of the sentence, and brackets that were opened before."""
    while text and (
        text[-1] in ".,;:" or (text[-1] in _CLOSING and text.count(text[-1]) > text.count(_CLOSING[text[-1]]))
    ):
        text = text[:-1]
    return text


IDENTIFIER_READERS: tuple[tuple[str, Reader], ...] = (
    ("doi", read_doi),
    ("arxiv", read_arxiv),
    ("url", read_url),
)
