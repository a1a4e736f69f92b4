"""Score real papers set by set and together, and ask whether the probabilities of their fields are true."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from portico.lab.calibrating import Trial, Trials, said_figures
from portico.lab.measure_matching import count_own_references
from portico.lab.papers import (
    ConvertFile,
    Extract,
    Outcome,
    is_title_right,
    is_year_right,
    run_papers,
    score,
    told_references,
)
from portico.text.names import parse_name

ALL = "all"
"""The name of all sets taken together."""


def measure_papers(
    data: Path, *, convert: ConvertFile, extract: Extract, limit: int | None = None
) -> dict[str, dict[str, Any]]:
    """The scores of every set of a folder, by name, and of all together, with calibration and links."""
    sets = run_papers(data, convert=convert, extract=extract, limit=limit)
    figures: dict[str, dict[str, Any]] = {name: dict(score(outcomes)) for name, outcomes in sets.items()}
    together = [outcome for outcomes in sets.values() for outcome in outcomes]
    figures[ALL] = {
        **score(together),
        "calibration": said_figures(trials_of_papers(together)),
        "links": count_own_references([record for outcome in together for record in outcome.records]),
    }
    return figures


def trials_of_papers(outcomes: Sequence[Outcome]) -> Trials:
    """What was said of titles, of authors and of the years of references, and whether it was right.

    Years are those of references: few papers print their own, and the sets do not tell it.
    """
    trials: dict[str, list[Trial]] = defaultdict(list)
    for idx, outcome in enumerate(outcomes):
        if outcome.truth.garbled or outcome.header is None:
            continue
        title = outcome.header.best("title")
        if outcome.truth.title and title:
            trials["title"].append(Trial(idx, title.confidence, is_title_right(outcome)))
        wanted = {parse_name(name).key for name in outcome.truth.authors or ()}
        trials["author"] += [
            Trial(idx, author.confidence, parse_name(author.value).key in wanted)
            for author in outcome.header.all("author")
            if wanted
        ]
        trials["year"] += [
            Trial(idx, year.confidence, is_year_right(record, truth))
            for record, truth in told_references(outcome)
            if (year := record.best("year"))
        ]
    return trials
