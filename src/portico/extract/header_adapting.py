"""Combines the shipped header model with one trained on a portal's corrected headers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from portico.extract.corrected_headers import LabelledHeader, observe_header
from portico.extract.lines import LINES
from portico.extract.tagger import Tagger
from portico.learn.committee import Committee, MemberOptions, train_committee
from portico.learn.crf import CrfOptions

# Options like those of the shipped models, but for fewer headers: rare features are kept.
_TAUGHT = MemberOptions("taught", CrfOptions(c1=0.05, c2=1.0, max_iterations=50), marks_openings=True)

# Weight of a corrected header relative to those read with certainty, of which there are far more.
_COPIES = 3

VOTES = (1, 2)
"""Numbers of votes to try for the model of corrected headers, next to those of the two shipped models;
held-out headers decide between them."""

N_PARTS = 4
"""Folds of cross-validation: each part of the corrected headers is read by a model trained on the others."""


@dataclass(frozen=True, slots=True)
class CorrectedHeader:
    """One header, and a function that counts how many of its known values a tagger reads correctly."""

    header: LabelledHeader
    n_right: Callable[[Tagger], int]


@dataclass(frozen=True, slots=True)
class AdaptedModel:
    """An adapted model, with the number of correct values on held-out headers before and after."""

    model: Committee
    n_votes: int
    n_right_before: int
    n_right_after: int

    @property
    def is_better(self) -> bool:
        return self.n_right_after > self.n_right_before


def adapt_headers(
    shipped: Tagger,
    lessons: Sequence[CorrectedHeader],
    sure: Sequence[LabelledHeader],
    held_out: Sequence[CorrectedHeader],
) -> AdaptedModel:
    """Train on corrected headers; choose by cross-validation how many votes the new model gets.

    `sure` are headers that the shipped models read with certainty; they keep the new model from forgetting.
    `held_out` are more such headers, which are not learned from but count in the comparison.
    """
    n_parts = min(N_PARTS, len(lessons))
    before = sum(lesson.n_right(shipped) for lesson in (*lessons, *held_out))
    after = dict.fromkeys(VOTES, 0)
    for part in range(n_parts):
        others = [lesson.header for idx, lesson in enumerate(lessons) if idx % n_parts != part]
        taught = _taught(shipped, others, sure)
        mine = (*lessons[part::n_parts], *held_out[part::n_parts])
        for n_votes in VOTES:
            tagger = join_header_models(shipped, taught, n_votes)
            after[n_votes] += sum(lesson.n_right(tagger) for lesson in mine)
    best = max(VOTES, key=lambda n_votes: (after[n_votes], n_votes))  # on a tie trust people
    whole = _taught(shipped, [lesson.header for lesson in lessons], sure)
    return AdaptedModel(_with_first_pass(join_header_models(shipped, whole, best)), best, before, after[best])


def join_header_models(shipped: Tagger, taught: Committee, n_votes: int) -> Tagger:
    """Combine the shipped models with `n_votes` copies of the taught one, after the same first pass."""
    ((name, model),) = taught.members
    votes = tuple((f"{name}-{number}", model) for number in range(1, n_votes + 1))
    return replace(shipped, model=Committee((*shipped.model.members, *votes)))


def _with_first_pass(tagger: Tagger) -> Committee:
    """Return all models of a tagger as they are stored in one file."""
    first = ((LINES, tagger.read_lines.model),) if tagger.read_lines is not None else ()
    return Committee((*first, *tagger.model.members))


def _taught(
    shipped: Tagger, corrected: Iterable[LabelledHeader], sure: Sequence[LabelledHeader]
) -> Committee:
    headers = [*(header for header in corrected for _ in range(_COPIES)), *sure]
    return train_committee(
        ((observe_header(header.rows, shipped), header.labels) for header in headers), [_TAUGHT]
    )
