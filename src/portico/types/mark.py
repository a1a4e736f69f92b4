"""What a builder says about a page by marking it: this passage is that field."""

from dataclasses import dataclass

from portico.types.page import BodyHash, Url


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage of a converted page, and the label its words have.

    `start` and `end` count characters of the document made of the body; `text` is what stands there, so that
    the passage is found again when pages are converted another way.
    """

    page: Url
    body: BodyHash
    label: str
    start: int
    end: int
    text: str
