"""How the first page of a document looks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A small PNG; of a document whose page could not be drawn it has no dots."""

    width: int  # dots
    height: int
    png: str = ""  # in base64, as values are kept
