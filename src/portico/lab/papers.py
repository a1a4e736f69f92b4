"""From file to record on real papers: how often are title, authors, abstract and references right?"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz

from portico.errors import InputError, Unreadable
from portico.lab.publication_scores import PublicationTruth, is_same_title, score_publications
from portico.lab.truth import ReferenceFields, Truth, read_truth, sets_of
from portico.text.names import fold, parse_name
from portico.types.document import Document
from portico.types.record import Record

ConvertFile = Callable[[Path], Document]
Extract = Callable[[Document], tuple[Record, ...]]

# Normalised edit similarity, in percent, from which two strings are the same abstract or reference.
SAME_STRING = 90.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    truth: Truth
    records: tuple[Record, ...]
    failure: str  # "" when there are records
    called_garbled: bool
    seconds: float
    text: str = ""  # of the document, "" where there is none

    @property
    def header(self) -> Record | None:
        return self.records[0] if self.records else None

    @property
    def references(self) -> tuple[Record, ...]:
        return self.records[1:]


def run_papers(
    data: Path, *, convert: ConvertFile, extract: Extract, limit: int | None = None
) -> dict[str, list[Outcome]]:
    """What becomes of the files of every set of a folder; `limit` takes the first files of each set alone."""
    return {
        folder.name: [run(truth, convert, extract) for truth in list(read_truth(folder))[:limit]]
        for folder in sets_of(data)
    }


def run(truth: Truth, convert: ConvertFile, extract: Extract) -> Outcome:
    """One file from bytes to records."""
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
    return Outcome(truth, records, failure, called_garbled, time.perf_counter() - start, text)


def score(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Scores over the files whose truth does not say garbled; None where the set has no truth for it.

    A set that tells of publications is scored by its own protocol, which overrules the others' where both
    have a figure.
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
        "authors_f1": _f1(author_counts(outcome) for outcome in clean if outcome.truth.authors),
        "abstract": _mean(is_abstract_right(outcome) for outcome in clean if outcome.truth.abstract),
        "abstract_in_text": _mean(
            is_abstract_right(outcome)
            for outcome in clean
            if outcome.truth.abstract and is_abstract_in_text(outcome)
        ),
        "references_f1": _f1(reference_counts(outcome) for outcome in clean if has_references(outcome.truth)),
        **_field_shares([field_counts(outcome) for outcome in clean]),
        "garbled_noticed": _mean(outcome.called_garbled for outcome in garbled),
        "clean_called_garbled": sum(outcome.called_garbled for outcome in clean),
        "seconds_per_document": _mean(outcome.seconds for outcome in outcomes),
        **score_publications(told, are_all=len(told) == len(clean)),
    }
    apart = score_publications(_publications(garbled), are_all=True)
    return {**scores, "garbled": apart} if apart else scores


def _publications(outcomes: Sequence[Outcome]) -> list[tuple[PublicationTruth, tuple[Record, ...]]]:
    return [(one.truth.publication, one.records) for one in outcomes if one.truth.publication]


def has_references(truth: Truth) -> bool:
    return bool(truth.references or truth.reference_titles)


def is_title_right(outcome: Outcome) -> bool:
    """Equal after normalising case, space, punctuation, accents and ligatures."""
    found = outcome.header.value("title") if outcome.header else None
    if outcome.truth.publication:
        return is_same_title(outcome.truth.publication, found)
    return bool(found) and normal(found or "") == normal(outcome.truth.title or "")


def is_title_in_text(outcome: Outcome) -> bool:
    """Does the converted text hold the truth's title?

    Not where the file is another version of the paper than the one that the truth was written for.
    """
    return not outcome.text or normal(outcome.truth.title or "") in normal(outcome.text)


def is_abstract_right(outcome: Outcome) -> bool:
    found = outcome.header.value("abstract") if outcome.header else None
    return (
        bool(found) and fuzz.ratio(normal(found or ""), normal(outcome.truth.abstract or "")) >= SAME_STRING
    )


def is_abstract_in_text(outcome: Outcome) -> bool:
    """Does the converted text hold the truth's abstract?

    Not where a web page has an abstract that was written anew, nor where we converted the file badly: this
    tells extraction from the rest, and is no substitute for the score over all files.
    """
    wanted = normal(outcome.truth.abstract or "")
    return not outcome.text or fuzz.partial_ratio(wanted, normal(outcome.text)) >= SAME_STRING


def author_counts(outcome: Outcome) -> tuple[int, int, int]:
    """Surnames found, right, and to be found."""
    found = (
        {parse_name(field.value).key for field in outcome.header.all("author")} if outcome.header else set()
    )
    wanted = {parse_name(name).key for name in outcome.truth.authors or ()}
    return len(found), len(found & wanted), len(wanted)


def reference_counts(outcome: Outcome) -> tuple[int, int, int]:
    """References found, found right, and to be found; each counts for one of the truth alone."""
    found = [normal(record.raw) for record in outcome.references]
    wanted = [normal(text) for text in outcome.truth.references or outcome.truth.reference_titles or ()]
    similarity = fuzz.ratio if outcome.truth.references else _contains
    return len(found), len(_matched(found, wanted, similarity)), len(wanted)


def field_counts(outcome: Outcome) -> tuple[int, int, int]:
    """Of the references whose title and year the truth tells: how many, found, and found with both right."""
    pairs = told_references(outcome)
    n_right = sum(
        is_reference_title_right(record, truth) and is_year_right(record, truth) for record, truth in pairs
    )
    return len(outcome.truth.reference_fields), len(pairs), n_right


def told_references(outcome: Outcome) -> list[tuple[Record, ReferenceFields]]:
    """The references found whose title and year the truth tells, with what it tells."""
    truth = outcome.truth.reference_fields
    found = [normal(record.raw) for record in outcome.references]
    if truth and truth[0].text:
        matched = _matched(found, [normal(one.text) for one in truth], fuzz.ratio)
    else:
        matched = _matched(found, [normal(one.title) for one in truth], _contains)
    return [(outcome.references[found_idx], truth[idx]) for found_idx, idx in matched]


def is_reference_title_right(record: Record, truth: ReferenceFields) -> bool:
    return fuzz.ratio(normal(record.value("title") or ""), normal(truth.title)) >= SAME_STRING


def is_year_right(record: Record, truth: ReferenceFields) -> bool:
    return normal(record.value("year") or "")[:4] == normal(truth.year)[:4]


def _matched(
    found: Sequence[str], wanted: Sequence[str], similarity: Callable[[str, str], float]
) -> list[tuple[int, int]]:
    """Pairs of places of strings that are the same, the most similar first, each place once."""
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


def normal(text: str) -> str:
    """Letters and digits alone, folded."""
    return "".join(character for character in fold(text) if character.isalnum())


def _contains(raw: str, title: str) -> float:
    return fuzz.partial_ratio(title, raw) if len(title) <= len(raw) else 0.0


def _field_shares(counts: Sequence[tuple[int, int, int]]) -> dict[str, float | None]:
    """Title and year both right: of all references, and of those that were found at all."""
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
