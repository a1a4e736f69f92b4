"""Tests what was learned from marks on held-out pages, and keeps only what reads better than before."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from portico.extract.page_records import build_records
from portico.extract.page_rows import HEADING
from portico.extract.structured_fields import add_structured_fields
from portico.extract.tagger import Tagged
from portico.extract.taught_fields import Parts, Say, merge_readings
from portico.extract.value_likeness import find_swapped
from portico.text.names import fold
from portico.types.document import Document
from portico.types.domain import Kind
from portico.types.lesson import FieldOutcome, ValueChange

# Correct values that a label must gain on held-out pages for its lesson to be kept; one may be luck.
LEAST_GAIN = 2
# Share of a label's marked values that must be read correctly on held-out pages, because even of random marks
# a few match by chance.
LEAST_RIGHT = 1 / 2
# Share of the values read by a declared cue or pattern that must be marked for both to mean the same field.
SAME_NOTION = 1 / 3
# Share of the marked values read as another field from which the marks are considered mistakes.
OTHER_NOTION = 1 / 2
# Share of a field's values on unmarked pages that may be lost.
MOST_LOST = 0.1
# Share of additional false values allowed on pages with known values.
MOST_FALSE = 0.01

Values = Mapping[str, Counter[str]]
"""Values by label, normalized, with the number of times each was read."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One page as read without marks, as read at present, and as read by the newly taught model."""

    document: Document
    base: Tagged
    before: Tagged
    taught: Tagged
    right: Values | None = None  # of the labels with known values; None if there are none


@dataclass(frozen=True, slots=True)
class Trials:
    """The pages to test a lesson on."""

    left_out: tuple[Trial, ...]  # marked pages, each read by what was learned from other pages
    known: tuple[Trial, ...] = ()  # pages of other portals, with known values
    unmarked: tuple[Trial, ...] = ()  # pages of this portal, without known values


def read_values(
    document: Document, tagged: Tagged, kinds: Sequence[Kind], *, structured: bool = True
) -> dict[str, Counter[str]]:
    """Return the values of each label on a page, with or without those from its structured data."""
    labels = {
        (kind.name, rule.field): rule.label
        for kind in kinds
        for rule in reversed(kind.rules)
        if rule.field == _find_first_field(kind, rule.label)
    }
    found: dict[str, Counter[str]] = {}
    records = build_records(document, tagged, kinds)
    if structured:
        records = add_structured_fields(document, tagged.rows, records, kinds)
    for record in records:
        for field in record.fields:
            label = labels.get((record.kind, field.name))
            if label is not None:
                found.setdefault(label, Counter())[fold(field.value)] += 1
    return found


def _find_first_field(kind: Kind, label: str) -> str:
    """Return the first of the fields read from a label, which stands for all of them (an address and its
    town).
    """
    return next(rule.field for rule in kind.rules if rule.label == label)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of known, right and false values of one label over many pages."""

    n_known: int = 0
    n_right: int = 0
    n_false: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.n_known + other.n_known, self.n_right + other.n_right, self.n_false + other.n_false)

    @property
    def balance(self) -> int:
        return self.n_right - self.n_false


def compare_values(read: Values, right: Values) -> dict[str, Tally]:
    """Count right and false values of the labels with known values; other labels are ignored."""
    found = {}
    for label, values in right.items():
        said = read.get(label, Counter())
        n_right = (said & values).total()
        found[label] = Tally(values.total(), n_right, said.total() - n_right)
    return found


@dataclass(frozen=True, slots=True)
class LessonJudge:
    """Chooses which parts of a lesson are kept."""

    kinds: tuple[Kind, ...]
    trials: Trials

    @property
    def other(self) -> str:
        return self.kinds[0].other

    def choose_parts(self) -> dict[str, Say]:
        """Choose for each label what reads held-out pages best, as long as nothing else gets worse.

        The search starts from no taught label and, if pages with known values guard the outcome, also from
        all of them.
        """
        labels = sorted({label for trial in self.trials.left_out for label in trial.right or {}})
        swapped = self.find_swapped()
        allowed = {label: says for label in labels if (says := self._allowed(label, swapped))}
        starts: list[dict[str, Say]] = [{}]
        if self.trials.known:
            starts.append(dict.fromkeys(allowed, Say.LEAD))
        climbed = [self._climb(start, allowed) for start in starts]
        best = max(climbed, key=lambda parts: self._total(self._tally(parts)))
        return self._drop_harm(self._drop_luck(best))

    def is_better(self, parts: Parts) -> bool:
        """Whether more values are right on held-out pages than at present, and no label is read worse."""
        before, after = self.tally_before(), self._tally(parts)
        falls = any(after[label].balance < tally.balance for label, tally in before.items())
        return not falls and self._total(after) > self._total(before)

    def tally_before(self) -> dict[str, Tally]:
        return _sum_up(
            compare_values(self._read_before(trial), trial.right)
            for trial in self.trials.left_out
            if trial.right is not None
        )

    def describe_fields(self, parts: Parts) -> tuple[FieldOutcome, ...]:
        """Report for each label how it is read before and after, on held-out and on unmarked pages."""
        before, after = self.tally_before(), self._tally(parts)
        was = _count_read(self._read_before(each) for each in self.trials.unmarked)
        now = _count_read(self._read(each, parts) for each in self.trials.unmarked)
        labels = [*before, *(label for label in {**was, **now} if label not in before)]
        nothing = Tally()
        return tuple(
            FieldOutcome(
                label,
                n_marked=before.get(label, nothing).n_known,
                n_right_before=before.get(label, nothing).n_right,
                n_right_after=after.get(label, nothing).n_right,
                n_read_before=was[label],
                n_read_after=now[label],
            )
            for label in labels
        )

    def list_changes(self, parts: Parts) -> Iterator[ValueChange]:
        """Yield the values that are read differently, those on unmarked pages first."""
        for trial in (*self.trials.unmarked, *self.trials.left_out):
            before = self._read_before(trial)
            after = self._read(trial, parts)
            for label in dict.fromkeys((*before, *after)):
                was, now = before.get(label, Counter()), after.get(label, Counter())
                if was != now:
                    gone, new = tuple(was - now), tuple(now - was)
                    yield ValueChange(trial.document.id, label, gone, new)

    def _read_before(self, trial: Trial) -> dict[str, Counter[str]]:
        return read_values(trial.document, trial.before, self.kinds)

    def _read(self, trial: Trial, parts: Parts) -> dict[str, Counter[str]]:
        merged = merge_readings(trial.base, trial.taught, parts, other=self.other)
        return read_values(trial.document, merged, self.kinds)

    def _tally(self, parts: Parts) -> dict[str, Tally]:
        return _sum_up(
            compare_values(self._read(trial, parts), trial.right)
            for trial in self.trials.left_out
            if trial.right is not None
        )

    def _total(self, tallies: Mapping[str, Tally]) -> int:
        return sum(tally.balance for tally in tallies.values())

    def find_swapped(self) -> frozenset[str]:
        """Return the fields whose marks look like values of each other on unmarked pages."""
        marked: dict[str, list[str]] = {}
        read: dict[str, list[str]] = {}
        for trial in self.trials.left_out:
            for label, values in (trial.right or {}).items():
                marked.setdefault(label, []).extend(values)
        for trial in self.trials.unmarked:
            for label, values in self._read_base(trial).items():
                read.setdefault(label, []).extend(values)
        return find_swapped(marked, read)

    def _allowed(self, label: str, swapped: Collection[str]) -> tuple[Say, ...]:
        """Return the ways in which what was taught of a label may be used.

        Without pages with known values to check the marks against, a cue, pattern or markup that reads other
        words than the marked ones contradicts them: one of the two is wrong, and there is no telling which.
        Two things do not count as contradictions: a value that is the same on all pages, which is the name of
        the site, and a heading read instead of another heading that was marked.
        """
        everything = (Say.FILL, Say.JOIN, Say.LEAD)
        if self.trials.known:
            return everything
        if label in swapped or self._is_read_as_other(label):
            return ()
        read = [(trial, self._read_base(trial, structured=False)) for trial in self._marked(label)]
        if any(values.get(label) for _, values in read):
            return everything if self._agrees(label, read) else ()
        read = [(trial, self._read_base(trial)) for trial in self._marked(label)]
        distinct = {value for _, values in read for value in values.get(label, ())}
        is_told = len(distinct) > 1 and not self._is_in_headings(label)
        return (Say.FILL,) if not is_told or self._agrees(label, read) else ()

    def _marked(self, label: str) -> list[Trial]:
        return [trial for trial in self.trials.left_out if label in (trial.right or {})]

    def _read_base(self, trial: Trial, *, structured: bool = True) -> dict[str, Counter[str]]:
        return read_values(trial.document, trial.base, self.kinds, structured=structured)

    def _agrees(self, label: str, read: Iterable[tuple[Trial, Values]]) -> bool:
        """Whether enough of the values read without marks are marked too, so that both mean the same
        field.
        """
        tallies = [compare_values(values, trial.right or {})[label] for trial, values in read]
        total = sum(tallies, Tally())
        return total.n_right >= SAME_NOTION * (total.n_right + total.n_false)

    def _is_read_as_other(self, label: str) -> bool:
        """Whether the marked values are read as another field without marks, so that two fields were
        confused.
        """
        n_marked, n_other = 0, 0
        for trial in self._marked(label):
            values = set((trial.right or {})[label])
            read = self._read_base(trial)
            own = set(read.get(label, ()))
            others = {value for name, said in read.items() if name != label for value in said}
            n_marked += len(values)
            n_other += len(values & others - own)
        return n_other >= OTHER_NOTION * n_marked

    def _is_in_headings(self, label: str) -> bool:
        """Whether the marked values stand in headings or in the page's title."""
        pages = self._marked(label)
        n_pages = sum(
            any(value in fold(row.text) for row in trial.base.rows for value in (trial.right or {})[label]
                if HEADING in row.looks or "in=title" in row.looks)
            for trial in pages
        )  # fmt: skip
        return n_pages >= OTHER_NOTION * len(pages)

    def _climb(self, start: Parts, allowed: Mapping[str, tuple[Say, ...]]) -> dict[str, Say]:
        """Change one label at a time as long as that improves the total; on a tie the weakest choice
        wins.
        """
        parts, best = dict(start), self._total(self._tally(start))
        changed = True
        while changed:
            changed = False
            for label, says in allowed.items():
                for say in (None, *says):
                    tried = {name: each for name, each in parts.items() if name != label}
                    tried |= {label: say} if say is not None else {}
                    total = self._total(self._tally(tried)) if tried != parts else best
                    if total > best:
                        parts, best, changed = tried, total, True
        return parts

    def _drop_luck(self, parts: Parts) -> dict[str, Say]:
        """Drop the labels that gain next to nothing."""
        before, after = self._tally({}), self._tally(parts)
        kept = {
            label: say
            for label, say in parts.items()
            if after[label].balance >= before[label].balance + LEAST_GAIN
            and after[label].n_right >= LEAST_RIGHT * after[label].n_known
        }
        fallen = any(tally.balance < before[label].balance for label, tally in self._tally(kept).items())
        return {} if fallen else kept

    def _drop_harm(self, parts: Parts) -> dict[str, Say]:
        """Drop the labels that read known values worse, or lose many values on unmarked pages."""
        kept = dict(parts)
        while kept:
            hurt = {*self._find_worse(kept), *self._find_lost(kept)}
            if not hurt:
                break
            guilty = hurt & kept.keys() or set(kept)
            kept = {label: say for label, say in kept.items() if label not in guilty}
        return kept

    def _find_worse(self, parts: Parts) -> Iterator[str]:
        known = self.trials.known
        before = _sum_up(compare_values(self._read_before(each), each.right or {}) for each in known)
        after = _sum_up(compare_values(self._read(each, parts), each.right or {}) for each in known)
        for label, tally in before.items():
            spare = MOST_FALSE * tally.n_known
            if after[label].n_right < tally.n_right or after[label].n_false > tally.n_false + spare:
                yield label

    def _find_lost(self, parts: Parts) -> Iterator[str]:
        """Yield the labels that lose many values; titles suggested only by markup may be replaced without
        loss.
        """
        before: Counter[str] = Counter()
        lost: Counter[str] = Counter()
        for trial in self.trials.unmarked:
            now = self._read(trial, parts)
            was = read_values(trial.document, trial.before, self.kinds, structured=False)
            for label, values in was.items():
                before[label] += values.total()
                lost[label] += (values - now.get(label, Counter())).total()
        yield from (label for label, n_lost in lost.items() if n_lost > max(1, MOST_LOST * before[label]))


def _sum_up(pages: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    total: dict[str, Tally] = {}
    for page in pages:
        for label, tally in page.items():
            total[label] = total.get(label, Tally()) + tally
    return total


def _count_read(pages: Iterable[Values]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({label: values.total() for label, values in page.items()})
    return counts
