"""Hand-written state merges of header models: the papers' M-merged model."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from portico.lab.faithful.hmm_structure import (
    HmmStructure,
    build_maximally_specific,
    merge_groups,
    merge_neighbors,
)

TOP, FRONT, BACK = "before the title", "from the title to the abstract", "after the abstract"
_PEOPLE = frozenset({"title", "author"})
_ABSTRACT = frozenset({"abstract"})


@dataclass(frozen=True, slots=True)
class StateRole:
    """All states of a label in a part of the header; with `after`, only those that follow one of these
    labels.
    """

    label: str
    part: str | None = None
    after: frozenset[str] | None = None


# Publication numbers at the top, under the date and at the foot play different roles, and so do notes with
# acknowledgments and notes with the conference. Thirty-four roles make thirty-six states with the start and
# end states, or fewer if a role has no example. This division was chosen among twenty by five-fold
# cross-validation on the training headers: with one state per label 9.3 % of words are wrong, by part 8.8 %,
# by part and the label before a note 8.4 %. The test headers were not used.
ROLES = (
    StateRole("title"),
    StateRole("abstract"),
    StateRole("intro"),
    StateRole("page"),
    StateRole("author", TOP),
    StateRole("author", BACK),
    StateRole("author"),
    StateRole("affiliation", TOP),
    StateRole("affiliation", BACK),
    StateRole("affiliation"),
    StateRole("address", TOP),
    StateRole("address", BACK),
    StateRole("address"),
    StateRole("email", BACK),
    StateRole("email"),
    StateRole("note", TOP),
    StateRole("note", FRONT, _PEOPLE),
    StateRole("note", BACK, _ABSTRACT),
    StateRole("note", BACK),
    StateRole("note"),
    StateRole("date", TOP),
    StateRole("date", BACK),
    StateRole("date"),
    StateRole("pubnum", TOP),
    StateRole("pubnum", BACK),
    StateRole("pubnum"),
    StateRole("phone", BACK),
    StateRole("phone"),
    StateRole("web", BACK),
    StateRole("web"),
    StateRole("keyword", BACK),
    StateRole("keyword"),
    StateRole("degree", FRONT, _PEOPLE),
    StateRole("degree"),
)


def merge_m(headers: Sequence[Sequence[str]]) -> HmmStructure:
    """The neighbor-merged model of labeled headers, with the states of each role merged."""
    runs = _runs(headers)
    return merge_groups(
        merge_neighbors(build_maximally_specific(headers)), [_first_role(run) for run in runs]
    )


def trace_merging(headers: Sequence[Sequence[str]]) -> Iterator[HmmStructure]:
    """The models after each step: no role merged, then one more role at a time, then whole labels."""
    runs = _runs(headers)
    structure = merge_neighbors(build_maximally_specific(headers))
    groups = [len(ROLES) + idx for idx in range(len(runs))]
    yield structure
    for number in range(len(ROLES)):
        changed = [
            number if _first_role(run) == number else group for run, group in zip(runs, groups, strict=True)
        ]
        if changed != groups:
            groups = changed
            yield merge_groups(structure, groups)
    for label in dict.fromkeys(role.label for role in ROLES):
        first = next(number for number, role in enumerate(ROLES) if role.label == label)
        changed = [first if run.label == label else group for run, group in zip(runs, groups, strict=True)]
        if len(set(changed)) < len(set(groups)):
            groups = changed
            yield merge_groups(structure, groups)


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive words with one label, and their position: one state of the neighbor-merged model."""

    label: str
    part: str
    before: str


def _runs(headers: Sequence[Sequence[str]]) -> list[_Run]:
    found = []
    for labels in headers:
        names = [name for name, _ in groupby(labels)]
        title = names.index("title") if "title" in names else 0
        abstract = names.index("abstract") if "abstract" in names else len(names)
        for idx, name in enumerate(names):
            part = TOP if idx < title else BACK if idx > abstract else FRONT
            found.append(_Run(name, part, names[idx - 1] if idx else ""))
    return found


def _first_role(run: _Run) -> int:
    return next(number for number, role in enumerate(ROLES) if _fits(run, role))


def _fits(run: _Run, role: StateRole) -> bool:
    return (
        run.label == role.label
        and role.part in {None, run.part}
        and (role.after is None or run.before in role.after)
    )
