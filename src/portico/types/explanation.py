"""An explanation that people and programs can read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExplanationSection:
    """One answer to a question: a heading, a sentence, and rows of cells under named columns."""

    heading: str
    summary: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
