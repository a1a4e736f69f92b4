"""Several conditional random fields that label a sequence together, by the sum of their probabilities."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from io import BytesIO
from math import log
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from portico.errors import SetupError
from portico.learn.counts import Table
from portico.learn.crf import Crf, CrfOptions, Observations, Tagging, prepare_sequence, train_crf
from portico.learn.crf_batch import CrfBatch, read_weights

OPENS = "^"
"""Suffix of the label at the beginning of a passage, by which a model learns where one name ends and the next
begins."""

# No model is completely certain; this keeps the logarithm of a probability rounded to 0 finite.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True, slots=True)
class MemberOptions:
    """How one member is trained: on plain labels, or on labels that say where a run of them opens.

    What it is `blind_to`, features that begin so, it does not see while training and so never learns to use.
    """

    name: str
    options: CrfOptions
    marks_openings: bool = False
    blind_to: tuple[str, ...] = ()


@dataclass(frozen=True)
class Committee:
    """Trained members, by name. Each member proposes labelings; all members score every proposal."""

    members: tuple[tuple[str, Crf], ...]

    @property
    def digest(self) -> str:
        return sha256("".join(model.digest for _, model in self.members).encode()).hexdigest()[:16]

    def tag(self, observations: Observations) -> Tagging:
        """The proposed labeling with the highest mean probability over the members."""
        return self.ranked(observations)[0]

    def ranked(self, observations: Observations) -> tuple[Tagging, ...]:
        """The distinct labelings that members propose, the most likely first; at least one."""
        if not observations:
            return (Tagging((), ()),)
        prepared = prepare_sequence(observations)
        opinions = [model.opinion(prepared) for _, model in self.members]
        known = [frozenset(model.labels) for _, model in self.members]

        def chances_of(labels: Sequence[str]) -> list[float]:
            chances = [0.0] * len(labels)
            for opinion, names in zip(opinions, known, strict=True):
                # What each label is called by this member: plain, marked, or both.
                called = {
                    label: [name for name in (label, label + OPENS) if name in names] for label in set(labels)
                }
                chance = opinion.chance
                for idx, label in enumerate(labels):
                    for name in called[label]:
                        chances[idx] += chance(name, idx)
            return [total / len(opinions) for total in chances]

        return _ranking((opinion.labels for opinion in opinions), chances_of)

    def ranked_each(self, sequences: Sequence[Observations]) -> list[tuple[Tagging, ...]]:
        """The same for many sequences at once, which takes a fraction of the time."""
        ranked = self._together([one for one in sequences if one])
        return [next(ranked) if one else self.ranked(one) for one in sequences]

    @cached_property
    def _together(self) -> "_Together":
        return _Together([model for _, model in self.members])

    def __reduce__(self) -> "tuple[type[Committee], tuple[tuple[tuple[str, Crf], ...]]]":
        return (Committee, (self.members,))

    def member(self, name: str) -> Crf | None:
        return dict(self.members).get(name)

    def without(self, name: str) -> "Committee":
        """The other members: a model that prepares the ground for a vote has none itself."""
        return Committee(tuple(item for item in self.members if item[0] != name))

    def to_bytes(self) -> bytes:
        """An archive with one file per member; the same committee gives the same bytes."""
        out = BytesIO()
        with ZipFile(out, "w") as archive:
            for name, model in self.members:
                # Without a date of its own a file gets the oldest one there is.
                archive.writestr(ZipInfo(f"{name}.crfsuite"), model.body, ZIP_DEFLATED, 9)
        return out.getvalue()


class _Together:
    """The members as arrays."""

    def __init__(self, members: Iterable[Crf]) -> None:
        models = [read_weights(member.body) for member in members]
        self._chains = CrfBatch(models)
        labels = dict.fromkeys(strip_opening(label) for model in models for label in model.labels)
        self._column_of = {label: idx for idx, label in enumerate(labels)}
        # What the labels of a member, marked or not, add to the plain ones.
        self._shares = [np.zeros((len(model.labels), len(labels))) for model in models]
        for share, model in zip(self._shares, models, strict=True):
            columns = [self._column_of[strip_opening(label)] for label in model.labels]
            share[range(len(columns)), columns] = 1 / len(models)

    def __call__(self, sequences: Sequence[Observations]) -> Iterator[tuple[Tagging, ...]]:
        for said in self._chains.solve(sequences):
            table = sum(one.chances @ share for one, share in zip(said, self._shares, strict=True))
            yield _ranking((one.labels for one in said), partial(self._chances_of, np.asarray(table)))

    def _chances_of(self, table: Table, labels: Sequence[str]) -> list[float]:
        columns = [self._column_of[label] for label in labels]
        chances: list[float] = table[range(len(columns)), columns].tolist()
        return chances


def _ranking(
    proposals: Iterable[Sequence[str]], chances_of: Callable[[Sequence[str]], list[float]]
) -> tuple[Tagging, ...]:
    """The distinct proposed labelings, the most likely first."""
    different = dict.fromkeys(tuple(map(strip_opening, labels)) for labels in proposals)
    taggings = [Tagging(labels, tuple(chances_of(labels))) for labels in different]
    return tuple(sorted(taggings, key=_belief, reverse=True) if len(taggings) > 1 else taggings)


def strip_opening(label: str) -> str:
    """The label without the mark of an opening."""
    return label.removesuffix(OPENS)


def mark_openings(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, with the first of each run marked."""
    return tuple(
        label if idx and labels[idx - 1] == label else label + OPENS for idx, label in enumerate(labels)
    )


def train_committee(
    examples: Iterable[tuple[Observations, Sequence[str]]], members: Iterable[MemberOptions]
) -> Committee:
    """One model per member, all trained on the same examples."""
    kept = list(examples)
    return Committee(
        tuple(
            (
                member.name,
                train_crf(
                    (
                        (_visible(seen, member), mark_openings(labels) if member.marks_openings else labels)
                        for seen, labels in kept
                    ),
                    options=member.options,
                ),
            )
            for member in members
        )
    )


def _visible(observations: Observations, member: MemberOptions) -> Observations:
    if not member.blind_to:
        return observations
    return [[text for text in features if not text.startswith(member.blind_to)] for features in observations]


def load_committee(path: Path) -> Committee:
    """Read a committee from a file."""
    try:
        return read_committee(path.read_bytes())
    except OSError as error:
        raise SetupError(f"{path}: cannot read the model ({error.strerror}); reinstall Portico") from error
    except BadZipFile as error:
        raise SetupError(
            f"{path}: not a trained model: {error}; train it again or reinstall Portico"
        ) from error


def read_committee(body: bytes) -> Committee:
    """Read what `to_bytes` wrote; BadZipFile for anything else."""
    with ZipFile(BytesIO(body)) as archive:
        names = archive.namelist()
        return Committee(tuple((name.removesuffix(".crfsuite"), Crf(archive.read(name))) for name in names))


def _belief(tagging: Tagging) -> float:
    return sum(log(max(chance, LEAST_CHANCE)) for chance in tagging.probabilities)
