"""Several conditional random fields that label a sequence together: the labeling most of them believe in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from math import log
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from portico.errors import SetupError
from portico.learn.crf import Crf, CrfOptions, Observations, Tagging, prepare, train

OPENS = "^"
"""Behind a label: the first of its run. So marked, a model knows where one name ends and another begins."""

# No model is quite sure; this keeps the logarithm of a probability that was rounded to 0 finite.
LEAST_CHANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Member:
    """How one member is trained: on plain labels, or on labels that say where a run of them opens.

    What it is `blind_to`, features that begin so, it does not see while training and so never learns to use.
    """

    name: str
    options: CrfOptions
    marks_openings: bool = False
    blind_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Committee:
    """Trained members, by name. A labeling is one that a member proposes; all of them judge it."""

    members: tuple[tuple[str, Crf], ...]

    @property
    def digest(self) -> str:
        return sha256("".join(model.digest for _, model in self.members).encode()).hexdigest()[:16]

    def tag(self, observations: Observations) -> Tagging:
        """The proposed labeling that is likeliest in the mean of the members' opinions."""
        return self.ranked(observations)[0]

    def ranked(self, observations: Observations) -> tuple[Tagging, ...]:
        """The different labelings that members propose, the likeliest first; never none."""
        if not observations:
            return (Tagging((), ()),)
        prepared = prepare(observations)
        opinions = [model.opinion(prepared) for _, model in self.members]
        proposals = dict.fromkeys(tuple(map(plain, opinion.labels)) for opinion in opinions)
        known = [frozenset(model.labels) for _, model in self.members]
        taggings = []
        for labels in proposals:
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
            taggings.append(Tagging(labels, tuple(total / len(opinions) for total in chances)))
        return tuple(sorted(taggings, key=_belief, reverse=True))

    def member(self, name: str) -> Crf | None:
        return dict(self.members).get(name)

    def without(self, name: str) -> "Committee":
        """The other members: a model that prepares the ground for a vote has none itself."""
        return Committee(tuple(item for item in self.members if item[0] != name))

    def to_bytes(self) -> bytes:
        """An archive with one file a member; the same committee gives the same bytes."""
        out = BytesIO()
        with ZipFile(out, "w") as archive:
            for name, model in self.members:
                # Without a date of its own a file gets the oldest one there is.
                archive.writestr(ZipInfo(f"{name}.crfsuite"), model.body, ZIP_DEFLATED, 9)
        return out.getvalue()


def plain(label: str) -> str:
    """The label without the mark of an opening."""
    return label.removesuffix(OPENS)


def marked(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, the first of each run marked."""
    return tuple(
        label if idx and labels[idx - 1] == label else label + OPENS for idx, label in enumerate(labels)
    )


def train_committee(
    examples: Iterable[tuple[Observations, Sequence[str]]], members: Iterable[Member]
) -> Committee:
    """One model a member, all of the same examples."""
    kept = list(examples)
    return Committee(
        tuple(
            (
                member.name,
                train(
                    (
                        (_visible(seen, member), marked(labels) if member.marks_openings else labels)
                        for seen, labels in kept
                    ),
                    options=member.options,
                ),
            )
            for member in members
        )
    )


def _visible(observations: Observations, member: Member) -> Observations:
    if not member.blind_to:
        return observations
    return [[text for text in features if not text.startswith(member.blind_to)] for features in observations]


def load_committee(path: Path) -> Committee:
    """Read a committee from a file."""
    try:
        with ZipFile(BytesIO(path.read_bytes())) as archive:
            names = archive.namelist()
            return Committee(
                tuple((name.removesuffix(".crfsuite"), Crf(archive.read(name))) for name in names)
            )
    except OSError as error:
        raise SetupError(f"{path}: cannot read the model ({error.strerror}); reinstall Portico") from error
    except BadZipFile as error:
        raise SetupError(
            f"{path}: not a trained model: {error}; train it again or reinstall Portico"
        ) from error


def _belief(tagging: Tagging) -> float:
    return sum(log(max(chance, LEAST_CHANCE)) for chance in tagging.probabilities)
