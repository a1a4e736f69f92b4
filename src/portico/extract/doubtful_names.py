"""Takes back labels of names that are none: menus, sentences, titles, and roles in cards."""

import re
from collections import Counter
from collections.abc import Sequence

from portico.extract.labelled_lines import LabelledLines, find_separator

# Lines of a look that must begin records before others do too, and their share of all lines that could.
LEAST_ALIKE, ALIKE_SHARE = 2, 0.5
# Names are dropped from a look if fewer than this share of its lines has one, and another look has this many.
RARE_SHARE, MANY = 0.2, 3
# The same for a name with a role in its own line.
VERY_RARE = 0.05
# Share of the lines of a look that must be names, and of names that must have another look beside them, so
# that names in that other look are taken for roles.
CERTAIN_SHARE = 0.7

_FRENCH_TITLES = frozenset({"Mme", "Mme.", "Mlle", "Mmes", "MM."})
_UNCASED = re.compile(r"[\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff]")


def drop_doubtful_names(lines: LabelledLines) -> None:
    """Drop names in menus and sentences, and turn those into roles that stand where roles stand."""
    _take_back_furniture(lines)
    _take_back_titles(lines)
    _take_back_confused(lines)
    _take_back_adjacent(lines)


def _take_back_furniture(lines: LabelledLines) -> None:
    """Drop names in navigation and running text, unless the page has no others."""
    begun = list(lines.list_begun())
    stated = [idx for idx in begun if not lines.is_told(idx)]
    if len(stated) >= LEAST_ALIKE or (stated and len(stated) >= len(begun) / 2):
        for idx in set(begun) - set(stated):
            lines.drop(idx, lines.name)
    for idx in lines.list_begun():
        if _is_in_sentence(lines, idx):
            lines.drop(idx, lines.name)
    for idx, labels in enumerate(lines.labels):
        if lines.beside in labels and lines.name not in labels and lines.is_told(idx):
            lines.drop(idx, lines.beside)


def _is_in_sentence(lines: LabelledLines, idx: int) -> bool:
    """Whether a name in letters without case goes on, or ends in a period, like a sentence."""
    labels, words = lines.labels[idx], lines.rows[idx].words
    places = [at for at, label in enumerate(labels) if label == lines.name]
    name = "".join(words[at].text for at in places)
    if not _UNCASED.search(name) or name != name.swapcase():
        return False
    end = places[-1] + 1
    if len(words[-1].text) > 2 and words[-1].text.endswith("."):
        return True
    goes_on = end < len(words) and labels[end] == lines.other and words[end].text[0].isalnum()
    return goes_on and end not in lines.rows[idx].cuts and not find_separator(words, end - 1)


def _take_back_titles(lines: LabelledLines) -> None:
    """Take "M." for a title, not an initial, if two names begin with it, or the page also has "Mme"."""
    is_french = any(word.text in _FRENCH_TITLES for row in lines.rows for word in row.words)
    first = {idx: lines.labels[idx].index(lines.name) for idx in lines.list_begun()}
    openings = Counter(lines.rows[idx].words[at].text for idx, at in first.items())
    for idx, at in first.items():
        words = lines.rows[idx].words
        n_words = sum(label == lines.name for label in lines.labels[idx])
        is_title = words[at].text == "M." and (is_french or openings["M."] >= LEAST_ALIKE)
        if is_title and n_words > 2:
            lines.relabel(idx, range(at, at + 1), lines.other)


def _take_back_confused(lines: LabelledLines) -> None:
    """Turn names in a look that stands beside nearly all other names into what stands beside names.

    A card has a name and a role in two looks; where the names of both are given as names, those of the
    look that has fewer of them are roles.
    """
    begun = [idx for idx in lines.list_begun() if set(lines.labels[idx]) == {lines.name}]
    by_look = Counter(lines.looks[idx] for idx in begun)
    if not by_look or not lines.beside:
        return
    names, n_named = by_look.most_common(1)[0]
    named = [idx for idx, look in enumerate(lines.looks) if look == names and not lines.is_told(idx)]
    if n_named < MANY or n_named < CERTAIN_SHARE * len(named):
        return
    for step in (1, -1):
        beside = Counter(lines.looks[idx + step] for idx in named if 0 <= idx + step < len(lines.looks))
        for look, n_there in beside.items():
            group = [idx + step for idx in named if lines.has_this_look(idx + step, look)]
            confused = [idx for idx in group if lines.name in lines.labels[idx]]
            is_usual = look != names and n_there >= CERTAIN_SHARE * len(named)
            if is_usual and len(confused) < CERTAIN_SHARE * len(group):
                for idx in confused:
                    lines.drop(idx, lines.name)
                    if lines.may_stand_beside(idx):
                        lines.relabel(idx, range(len(lines.labels[idx])), lines.beside)


def _take_back_adjacent(lines: LabelledLines) -> None:
    """Turn every second of the names that follow each other into a role, where names alternate with roles.

    The lines of a card may all look the same.
    """
    whole = {idx for idx in lines.list_begun() if set(lines.labels[idx]) == {lines.name}}
    for step in (1, -1):
        runs = [run for run in _list_runs(sorted(whole)) if _may_alternate(lines, run)]
        confused = [idx for run in runs for idx in (run[1::2] if step == 1 else run[::2])]
        n_agree = sum(lines.is_beside(idx + step) for idx in whole)
        n_names = len(whole) - len(confused)
        if not confused or n_agree < max(LEAST_ALIKE, len(confused), ALIKE_SHARE * n_names):
            continue
        for idx in confused:
            whole.discard(idx)
            lines.drop(idx, lines.name)
            lines.relabel(idx, range(len(lines.labels[idx])), lines.beside)


def _may_alternate(lines: LabelledLines, run: Sequence[int]) -> bool:
    """Whether lines that follow each other may be names and roles in turn: no name occurs twice."""
    return len(run) % 2 == 0 and len({lines.rows[idx].text for idx in run}) == len(run)


def drop_rare_names(lines: LabelledLines) -> None:
    """Drop names in a look that mostly belongs to something else, such as companies below people."""
    begun = list(lines.list_begun())
    by_look = Counter(lines.looks[idx] for idx in begun)
    of_look = Counter(lines.looks)
    if not any(n >= MANY and n >= ALIKE_SHARE * of_look[look] for look, n in by_look.items()):
        return
    for idx in begun:
        look = lines.looks[idx]
        share = VERY_RARE if lines.beside in lines.labels[idx] else RARE_SHARE
        if by_look[look] < share * of_look[look]:
            lines.drop(idx, lines.name)


def _list_runs(numbers: Sequence[int]) -> list[list[int]]:
    """Group numbers that follow each other without a gap."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return runs
