"""Labels the words of a page without a model, by patterns and by printed labels ("Telephone: …")."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from portico.extract.announcements import find_leads
from portico.extract.page_context import Patterns, match_patterns, read_announcement
from portico.extract.tagger import Tagged
from portico.extract.words import Row
from portico.text.names import PARTICLES, fold_letters
from portico.types.domain import Form, Kind

# Probability of passages recognized by their form. It is about the precision of phone numbers and addresses
# on held-out sites (`portico lab organisations`), most of which are found by their form.
SURE = 0.85
# The precision of such labels is unknown before pages have been marked, so an even chance is assumed.
CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class PatternAdditions:
    """Adds passages recognizable by their form alone, where a model finds nothing."""

    tag: Callable[[Sequence[Row]], Tagged]
    kinds: tuple[Kind, ...]

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        tagged = self.tag(rows)
        patterns = compile_all(pair for kind in self.kinds for pair in kind.sure)
        labels, chances = list(tagged.labels), list(tagged.probabilities)
        other = self.kinds[0].other
        position = 0
        for row in rows:
            matched = match_patterns(row, patterns)
            whole = _find_whole(row, matched, labels[position : position + len(matched)], other)
            for names in matched:
                if names and labels[position] != (whole or names[0]) and (whole or labels[position] == other):
                    labels[position], chances[position] = whole or names[0], SURE
                position += 1
        return Tagged(tagged.rows, tuple(labels), tuple(chances))


def _find_whole(row: Row, matched: Sequence[Sequence[str]], labels: Sequence[str], other: str) -> str:
    """Return the label whose pattern covers a whole line, if a model contradicts less than half of it.

    Returns "" for other lines. In a line without letters the pattern always wins, because a model has no
    words to go by.
    """
    name = matched[0][0] if matched and matched[0] else ""
    if not name or not all(name in names for names in matched):
        return ""
    if not any(map(str.isalpha, row.text)):
        return name
    return name if sum(label not in (name, other) for label in labels) < len(labels) / 2 else ""


@dataclass(frozen=True, slots=True)
class PatternFallback:
    """Uses patterns and cues for fields of which a model finds nothing on the whole page."""

    tag: Callable[[Sequence[Row]], Tagged]
    fallback: "PatternTagger"

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        tagged, guessed = self.tag(rows), self.fallback(rows)
        found = set(tagged.labels)
        other = self.fallback.kinds[0].other
        pairs = [
            (guess, CHANCE) if label == other and guess not in found else (label, chance)
            for label, chance, guess in zip(tagged.labels, tagged.probabilities, guessed.labels, strict=True)
        ]
        return Tagged(tagged.rows, tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs))


def compile_all(pairs: Iterable[tuple[str, str]]) -> Patterns:
    """Compile (label, expression) pairs, each only once."""
    return tuple((label, re.compile(pattern, re.IGNORECASE)) for label, pattern in dict.fromkeys(pairs))


@dataclass(frozen=True, slots=True)
class PatternTagger:
    """Labels words by patterns and cues, for domains that have no model yet."""

    kinds: tuple[Kind, ...]
    _patterns: Patterns = field(init=False, repr=False, compare=False)
    _cues: Mapping[str, str] = field(init=False, repr=False, compare=False)
    _people: Sequence[tuple[list[str], str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        compiled = compile_all(pair for kind in self.kinds for pair in (*kind.sure, *kind.patterns))
        cues = {
            fold_letters(cue): label for kind in self.kinds for label, words in kind.cues for cue in words
        }
        object.__setattr__(self, "_patterns", compiled)
        object.__setattr__(self, "_cues", cues)
        people = (
            rule.label
            for kind in self.kinds
            for rule in kind.rules
            if kind.display is not None
            and (shown := kind.display.shown(rule.field)) is not None
            and shown.form is Form.NAME
        )
        labels = frozenset(people)
        named = [
            ([fold_letters(word) for word in cue.split()], label)
            for kind in self.kinds
            for label, words in kind.cues
            for cue in words
            if label in labels
        ]
        object.__setattr__(self, "_people", named)

    def __call__(self, rows: Sequence[Row]) -> Tagged:
        """Label every word; words without a pattern or cue get the label of no field."""
        other = self.kinds[0].other
        labels: list[str] = []
        above = ""
        for row, leads in zip(rows, find_leads(rows), strict=True):
            announced = (self._find_cue(lead) for lead in (*leads, above))
            labels += [label or other for label in self._row(row, next(filter(None, announced), ""))]
            above = row.text if "block=alone" in row.looks and _FURNITURE.isdisjoint(row.looks) else ""
        return Tagged(tuple(rows), tuple(labels), (CHANCE,) * len(labels))

    def _row(self, row: Row, lead: str) -> list[str]:
        n_lead, label = self._own_cue(row)
        if label:
            return ["" if idx < n_lead else label for idx in range(len(row.words))]
        if lead:
            return [lead] * len(row.words)
        start, end, label = self._find_named(row)
        if label:
            return [label if start <= idx < end else "" for idx in range(len(row.words))]
        return [names[0] if names else "" for names in match_patterns(row, self._patterns)]

    def _own_cue(self, row: Row) -> tuple[int, str]:
        """Return how many words of a line are its own label (before a colon or in bold), and its field."""
        own, end = read_announcement(row.text)
        label = self._find_cue(own)
        if label or {"bold", "partly-bold"}.isdisjoint(row.looks):
            return len(row.text[:end].split()), label
        for n_words in range(min(LONGEST_CUE, len(row.words) - 1), 0, -1):
            label = self._find_cue(" ".join(word.text for word in row.words[:n_words]))
            if label:
                return n_words, label
        return 0, ""

    def _find_named(self, row: Row) -> tuple[int, int, str]:
        """Return the words that name people behind a cue without a colon, and their label.

        A line may consist of a cue and a name ("Professor Ann Bell", "Prof. Ann Bell"), or a sentence has
        them behind a cue of several words ("The class is taught by Ann Bell and Bo Lind.").
        """
        folded = [fold_letters(word.text).strip(".,") for word in row.words]
        for parts, label in self._people:
            for at in range(len(folded) if len(parts) > 1 else 1):
                is_short = (
                    len(parts) == 1 and row.words[0].text.endswith(".") and len(folded[0]) >= SHORTEST_CUE
                )
                is_cue = folded[at : at + len(parts)] == parts or (
                    is_short and parts[0].startswith(folded[0])
                )
                end = _find_names_end(row, at + len(parts)) if is_cue else 0
                is_whole = end == len(row.words) or len(parts) > 1
                if end - at - len(parts) >= WORDS_OF_A_NAME and is_whole:
                    return at + len(parts), end, label
        return 0, 0, ""

    def _find_cue(self, text: str) -> str:
        """Return the label that a cue stands for. Digits rule one out: "Year 1850" is not the cue "Year"."""
        return "" if any(map(str.isdigit, text)) else self._cues.get(fold_letters(text), "")


def _find_names_end(row: Row, start: int) -> int:
    """Return where names that begin at a word end: at a word that is neither capitalized nor joins names."""
    end = start
    while end < len(row.words):
        word = row.words[end].text
        is_name = (
            word[0].isupper()
            and word.rstrip(".,").replace("-", "").replace("'", "").replace(".", "").isalpha()
        )
        if not is_name and not (end > start and (word in ("and", "&") or word.lower() in PARTICLES)):
            break
        end += 1
        if word.endswith(".") and len(word) > LONGEST_ABBREVIATION:
            break
    while end > start and not row.words[end - 1].text[0].isupper():
        end -= 1
    return end


# Fewest words of a name, fewest letters of a shortened cue, and most characters of an abbreviation in a name.
WORDS_OF_A_NAME, SHORTEST_CUE, LONGEST_ABBREVIATION = 2, 3, 3
# Maximum number of words of a cue that is recognized without a colon.
LONGEST_CUE = 4
_FURNITURE = frozenset({"in=nav", "in=foot", "in=title"})
