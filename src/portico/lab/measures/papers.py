"""Measures extraction from real papers: accuracy of fields, and calibration of their probabilities."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from portico.classify.fields import FieldModel
from portico.errors import InputError, Unreadable
from portico.lab.datasets.paper_truth import PaperTruth, ReferenceFields, list_sets, read_truth
from portico.lab.measures.matching_methods import count_own_references
from portico.lab.measures.paper_fields import score_paper_fields
from portico.lab.publication_scores import PublicationTruth, is_same_title, is_value_right, score_publications
from portico.lab.training.calibration import CalibrationTrial, Trials, measure_stated_calibration
from portico.text.names import fold, parse_name
from portico.types.document import Document
from portico.types.record import Record

ConvertFile = Callable[[Path], Document]
Extract = Callable[[Document], tuple[Record, ...]]

# Normalized edit similarity, in percent, from which two strings are the same abstract or reference.
SAME_STRING = 90.0


@dataclass(frozen=True, slots=True)
class PaperOutcome:
    """The result for one file."""

    truth: PaperTruth
    records: tuple[Record, ...]
    failure: str  # "" if there are records
    called_garbled: bool
    seconds: float
    text: str = ""  # of the document, or "" if there is none

    @property
    def header(self) -> Record | None:
        return self.records[0] if self.records else None

    @property
    def references(self) -> tuple[Record, ...]:
        return self.records[1:]


def run_papers(
    data: Path, *, convert: ConvertFile, extract: Extract, limit: int | None = None
) -> dict[str, list[PaperOutcome]]:
    """The results for all sets in a folder; `limit` is the number of files to take from each set."""
    return {
        folder.name: [run_paper(truth, convert, extract) for truth in list(read_truth(folder))[:limit]]
        for folder in list_sets(data)
    }


def run_paper(truth: PaperTruth, convert: ConvertFile, extract: Extract) -> PaperOutcome:
    """Convert one file and extract its records."""
    start = time.perf_counter()
    records: tuple[Record, ...] = ()
    failure = text = ""
    called_garbled = False
    try:
        document = convert(truth.path)
        text = document.text
        records = extract(document)
    except InputError as error:
        failure = str(error) or type(error).__name__
        called_garbled = isinstance(error, Unreadable)
    return PaperOutcome(truth, records, failure, called_garbled, time.perf_counter() - start, text)


def score_papers(outcomes: Sequence[PaperOutcome], fields: FieldModel | None = None) -> dict[str, Any]:
    """Scores over the files not known to be garbled; None for fields without known values in the set.

    Sets with publication data are scored by their own protocol, which takes precedence for figures that both
    have. `fields` predicts the field of research, if the set has it.
    """
    clean = [outcome for outcome in outcomes if not outcome.truth.garbled]
    garbled = [outcome for outcome in outcomes if outcome.truth.garbled]
    told = _publications(clean)
    scores = {
        "n": len(clean),
        "title": _mean(is_title_right(outcome) for outcome in clean if outcome.truth.title),
        "title_in_text": _mean(
            is_title_right(outcome) for outcome in clean if outcome.truth.title and is_title_in_text(outcome)
        ),
        "authors_f1": _f1(count_authors(outcome) for outcome in clean if outcome.truth.authors),
        "abstract": _mean(is_abstract_right(outcome) for outcome in clean if outcome.truth.abstract),
        "abstract_in_text": _mean(
            is_abstract_right(outcome)
            for outcome in clean
            if outcome.truth.abstract and is_abstract_in_text(outcome)
        ),
        "references_f1": _f1(count_references(outcome) for outcome in clean if has_references(outcome.truth)),
        **_field_shares([count_fields(outcome) for outcome in clean]),
        "garbled_noticed": _mean(outcome.called_garbled for outcome in garbled),
        "clean_called_garbled": sum(outcome.called_garbled for outcome in clean),
        "seconds_per_document": _mean(outcome.seconds for outcome in outcomes),
        **score_publications(told, are_all=len(told) == len(clean)),
        **_score_fields(clean, fields),
    }
    apart = score_publications(_publications(garbled), are_all=True)
    return {**scores, "garbled": apart} if apart else scores


def _score_fields(outcomes: Sequence[PaperOutcome], fields: FieldModel | None) -> dict[str, Any]:
    asked = [(one.truth.field, one.records) for one in outcomes if one.truth.field]
    return {"field": score_paper_fields(asked, fields)} if asked and fields else {}


def _publications(outcomes: Sequence[PaperOutcome]) -> list[tuple[PublicationTruth, tuple[Record, ...]]]:
    return [(one.truth.publication, one.records) for one in outcomes if one.truth.publication]


def has_references(truth: PaperTruth) -> bool:
    return bool(truth.references or truth.reference_titles)


def is_title_right(outcome: PaperOutcome) -> bool:
    """Whether the title is right, ignoring case, spaces, punctuation, accents and ligatures."""
    found = outcome.header.value("title") if outcome.header else None
    if outcome.truth.publication:
        return is_same_title(outcome.truth.publication, found)
    return bool(found) and normalize_text(found or "") == normalize_text(outcome.truth.title or "")


def is_title_in_text(outcome: PaperOutcome) -> bool:
    """Whether the converted text contains the true title.

    It does not if the file is another version of the paper than the one the title is from.
    """
    return not outcome.text or normalize_text(outcome.truth.title or "") in normalize_text(outcome.text)


def is_abstract_right(outcome: PaperOutcome) -> bool:
    found = outcome.header.value("abstract") if outcome.header else None
    return (
        bool(found)
        and fuzz.ratio(normalize_text(found or ""), normalize_text(outcome.truth.abstract or ""))
        >= SAME_STRING
    )


def is_abstract_in_text(outcome: PaperOutcome) -> bool:
    """Whether the converted text contains the true abstract.

    It does not if the abstract is from a web page where it was rewritten, nor if the file was converted
    badly: scores over the other files show the quality of the extraction alone, but are no substitute for
    those over all files.
    """
    wanted = normalize_text(outcome.truth.abstract or "")
    return not outcome.text or fuzz.partial_ratio(wanted, normalize_text(outcome.text)) >= SAME_STRING


def count_authors(outcome: PaperOutcome) -> tuple[int, int, int]:
    """Numbers of surnames found, found right, and expected."""
    found = (
        {parse_name(field.value).key for field in outcome.header.all("author")} if outcome.header else set()
    )
    wanted = {parse_name(name).key for name in outcome.truth.authors or ()}
    return len(found), len(found & wanted), len(wanted)


def count_references(outcome: PaperOutcome) -> tuple[int, int, int]:
    """Numbers of references found, found right, and expected; each is matched with only one true
    reference.
    """
    found = [normalize_text(record.raw) for record in outcome.references]
    wanted = [
        normalize_text(text) for text in outcome.truth.references or outcome.truth.reference_titles or ()
    ]
    similarity = fuzz.ratio if outcome.truth.references else _contains
    return len(found), len(_matched(found, wanted, similarity)), len(wanted)


def count_fields(outcome: PaperOutcome) -> tuple[int, int, int]:
    """For references with known title and year: how many there are, how many were found, and with both
    right.
    """
    pairs = match_told_references(outcome)
    n_right = sum(
        is_reference_title_right(record, truth) and is_year_right(record, truth) for record, truth in pairs
    )
    return len(outcome.truth.reference_fields), len(pairs), n_right


def match_told_references(outcome: PaperOutcome) -> list[tuple[Record, ReferenceFields]]:
    """The extracted references whose true title and year are known, with these."""
    truth = outcome.truth.reference_fields
    found = [normalize_text(record.raw) for record in outcome.references]
    if truth and truth[0].text:
        matched = _matched(found, [normalize_text(one.text) for one in truth], fuzz.ratio)
    else:
        matched = _matched(found, [normalize_text(one.title) for one in truth], _contains)
    return [(outcome.references[found_idx], truth[idx]) for found_idx, idx in matched]


def is_reference_title_right(record: Record, truth: ReferenceFields) -> bool:
    return fuzz.ratio(normalize_text(record.value("title") or ""), normalize_text(truth.title)) >= SAME_STRING


def is_year_right(record: Record, truth: ReferenceFields) -> bool:
    return normalize_text(record.value("year") or "")[:4] == normalize_text(truth.year)[:4]


def _matched(
    found: Sequence[str], wanted: Sequence[str], similarity: Callable[[str, str], float]
) -> list[tuple[int, int]]:
    """Pairs of positions of matching strings, the most similar first, each position only once."""
    pairs = sorted(
        (-value, found_idx, wanted_idx)
        for found_idx, one in enumerate(found)
        for wanted_idx, other in enumerate(wanted)
        if (value := similarity(one, other)) >= SAME_STRING
    )
    matched: list[tuple[int, int]] = []
    used_found: set[int] = set()
    used_wanted: set[int] = set()
    for _, found_idx, wanted_idx in pairs:
        if found_idx not in used_found and wanted_idx not in used_wanted:
            used_found.add(found_idx)
            used_wanted.add(wanted_idx)
            matched.append((found_idx, wanted_idx))
    return matched


def normalize_text(text: str) -> str:
    """The text as folded letters and digits only."""
    return "".join(character for character in fold(text) if character.isalnum())


def _contains(raw: str, title: str) -> float:
    return fuzz.partial_ratio(title, raw) if len(title) <= len(raw) else 0.0


def _field_shares(counts: Sequence[tuple[int, int, int]]) -> dict[str, float | None]:
    """Share of references with right title and year: among all references, and among those that were
    found.
    """
    n_all, n_found, n_right = (sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0)
    return {
        "title_year": round(n_right / n_all, 4) if n_all else None,
        "title_year_of_found": round(n_right / n_found, 4) if n_found else None,
    }


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 4) if numbers else None


def _f1(counts: Iterable[tuple[int, int, int]]) -> float | None:
    rows = list(counts)
    n_found, n_right, n_wanted = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0, 0)
    return round(2 * n_right / (n_found + n_wanted), 4) if n_found + n_wanted else None


ALL = "all"
"""The name of all sets taken together."""


def measure_papers(
    data: Path,
    *,
    convert: ConvertFile,
    extract: Extract,
    limit: int | None = None,
    fields: FieldModel | None = None,
) -> dict[str, dict[str, Any]]:
    """The scores of every set in a folder, by name, and of all together, with calibration and links."""
    sets = run_papers(data, convert=convert, extract=extract, limit=limit)
    figures: dict[str, dict[str, Any]] = {
        name: dict(score_papers(outcomes, fields)) for name, outcomes in sets.items()
    }
    together = [outcome for outcomes in sets.values() for outcome in outcomes]
    figures[ALL] = {
        **score_papers(together),
        "calibration": measure_stated_calibration(collect_paper_trials(together)),
        "links": count_own_references([record for outcome in together for record in outcome.records]),
    }
    return figures


def collect_paper_trials(outcomes: Sequence[PaperOutcome]) -> Trials:
    """The confidences of titles, authors, reference years and publication data, with whether each value was
    right.

    "year" is that of references; "published", "venue" and "doi" are those of the paper itself, if known.
    """
    trials: dict[str, list[CalibrationTrial]] = defaultdict(list)
    for idx, outcome in enumerate(outcomes):
        if outcome.truth.garbled or outcome.header is None:
            continue
        title = outcome.header.best("title")
        if outcome.truth.title and title:
            trials["title"].append(CalibrationTrial(idx, title.confidence, is_title_right(outcome)))
        wanted = {parse_name(name).key for name in outcome.truth.authors or ()}
        trials["author"] += [
            CalibrationTrial(idx, author.confidence, parse_name(author.value).key in wanted)
            for author in outcome.header.all("author")
            if wanted
        ]
        trials["year"] += [
            CalibrationTrial(idx, year.confidence, is_year_right(record, truth))
            for record, truth in match_told_references(outcome)
            if (year := record.best("year"))
        ]
        for name, field in (("published", "year"), ("venue", "venue"), ("doi", "doi")):
            said, publication = outcome.header.best(field), outcome.truth.publication
            right = is_value_right(publication, outcome.records, field) if publication and said else None
            if said is not None and right is not None:
                trials[name].append(CalibrationTrial(idx, said.confidence, right))
    return trials
