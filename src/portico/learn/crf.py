"""Linear-chain conditional random fields: training is a function, the trained model is a value."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pycrfsuite

from portico.errors import SetupError

Observations = Sequence[Sequence[str]]
"""The features that are present at each position."""


@dataclass(frozen=True, slots=True)
class CrfOptions:
    """How to train: penalties on the weights' absolute values (c1) and squares (c2), and how long."""

    c1: float = 0.1
    c2: float = 0.1
    max_iterations: int = 150
    min_frequency: float = 0.0  # rarer features are ignored


@dataclass(frozen=True, slots=True)
class Tagging:
    """The likeliest labels of one sequence, and each label's probability at its position."""

    labels: tuple[str, ...]
    probabilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CrfOpinion:
    """The most likely labels of one sequence, and on demand the probability of any label at a position."""

    labels: tuple[str, ...]
    chance: Callable[[str, int], float]


@dataclass(frozen=True, slots=True)
class Crf:
    """A trained model. Two models with the same digest give the same answers."""

    body: bytes = field(repr=False)
    _tagger: pycrfsuite.Tagger = field(init=False, repr=False, compare=False)
    labels: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        tagger = pycrfsuite.Tagger()
        try:
            tagger.open_inmemory(self.body)
        except (ValueError, RuntimeError) as error:
            raise SetupError(f"not a trained model: {error}; train it again or reinstall Portico") from error
        object.__setattr__(self, "_tagger", tagger)
        object.__setattr__(self, "labels", tuple(sorted(tagger.labels())))

    @property
    def digest(self) -> str:
        return sha256(self.body).hexdigest()[:16]

    def tag(self, observations: Observations) -> Tagging:
        """Label one sequence; the empty sequence has the empty labelling."""
        if not observations:
            return Tagging((), ())
        self._tagger.set(pycrfsuite.ItemSequence(observations))
        labels = tuple(self._tagger.tag())
        marginal = self._tagger.marginal
        return Tagging(labels, tuple(marginal(label, idx) for idx, label in enumerate(labels)))

    def opinion(self, prepared: pycrfsuite.ItemSequence) -> "CrfOpinion":
        """The model's result for one non-empty sequence; valid until the next call."""
        self._tagger.set(prepared)
        return CrfOpinion(tuple(self._tagger.tag()), self._tagger.marginal)

    def __reduce__(self) -> tuple[type["Crf"], tuple[bytes]]:
        return (Crf, (self.body,))


def prepare_sequence(observations: Observations) -> pycrfsuite.ItemSequence:
    """A sequence in the library's format: made once, it serves several models."""
    return pycrfsuite.ItemSequence(observations)


def load_crf(path: Path) -> Crf:
    """Read a model from a file."""
    try:
        return Crf(path.read_bytes())
    except OSError as error:
        raise SetupError(f"{path}: cannot read the model ({error.strerror}); reinstall Portico") from error


def train_crf(examples: Iterable[tuple[Observations, Sequence[str]]], *, options: CrfOptions) -> Crf:
    """Fit weights to labelled sequences; the same examples in the same order give the same model."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": options.c1,
            "c2": options.c2,
            "max_iterations": options.max_iterations,
            "feature.minfreq": options.min_frequency,
            "feature.possible_transitions": True,
        }
    )
    for observations, labels in examples:
        trainer.append(pycrfsuite.ItemSequence(observations), list(labels))
    # The library trains into a file only.
    with TemporaryDirectory(prefix="portico-crf-") as folder:
        path = Path(folder) / "model.crfsuite"
        trainer.train(str(path))
        return Crf(path.read_bytes())
