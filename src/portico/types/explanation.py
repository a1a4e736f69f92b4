"""Why something is as it is, said so that a person and a program can read it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExplanationSection:
    """One answer to one why: a heading, a sentence, and rows of cells under named columns."""

    heading: str
    summary: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
