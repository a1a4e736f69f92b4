"""Learns paths to goal pages from examples: pages, links, and where they ended.

`learn_paths` is the only entry point. Its model labels the pages of a path (`label`) and, with
`portico.crawl.paths.scoring`, tells which links of a page to follow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path as File
from typing import Any

from portico.crawl.paths.encoding import ExampleWeights, PathEncoder, build_examples
from portico.crawl.paths.states import GOAL, StateScheme, Supervision, choose_scheme, name_distances
from portico.errors import ConfigError
from portico.files import write_whole
from portico.learn import chain_crf
from portico.learn.chain_crf import ChainCrf, compute_printed_rewards, compute_state_rewards
from portico.learn.chain_training import ChainOptions, train_chain
from portico.types.path import Ending, Path


@dataclass(frozen=True, slots=True)
class PathOptions:
    """How paths are learned; docs/paths.md explains the choices.

    With distances as labels, goals are found earlier than with milestones, also if milestones were named.
    Links on taught pages that were not followed count as leading nowhere, those of one page together
    `unfollowed` times.
    """

    dual: bool = True
    supervision: Supervision = Supervision.DISTANCES
    hierarchy: bool = True
    variance: float = 5.0
    discount: float = 0.6
    beginnings: float = 1.0
    unfollowed: float = 2.0
    whole: float = 3.0  # weight of a whole path relative to its beginnings, with labels by distance
    widespread: bool = True  # only observations that occur on two sites, if there are two
    max_iterations: int = 50
    as_printed: bool = False  # compute rewards exactly by the paper's equations 3 to 5


DEFAULT = PathOptions()


@dataclass(frozen=True, slots=True)
class PathModel:
    """A trained model of paths: a chain of labels, and the value of each of its states."""

    scheme: StateScheme
    crf: ChainCrf
    rewards: tuple[float, ...]  # by state
    names: tuple[tuple[str, str], ...] = ()  # labels by distance, and what the teacher called such pages

    def label(self, path: Path) -> tuple[str, ...]:
        """The labels of the pages of a whole path: milestones or distances, ending in a goal or nowhere."""
        if not path.steps:
            return ()
        states = self.crf.label(PathEncoder(self.scheme).moments(path.steps, whole=True))
        return tuple(self.scheme.labels[state] for state in states[:: 2 if self.scheme.dual else 1])

    def save(self, file: File) -> None:
        """Write the model; concurrent readers find the old one or the new."""
        write_whole(file, self.to_bytes())

    def to_bytes(self) -> bytes:
        extra = {"scheme": asdict(self.scheme), "rewards": self.rewards, "names": self.names}
        return self.crf.to_bytes(extra)

    @classmethod
    def load(cls, file: File) -> "PathModel":
        """Read what `save` wrote; ConfigError if it is damaged. It contains nothing executable."""
        try:
            crf, extra = chain_crf.from_bytes(file.read_bytes())
            names = tuple((str(label), str(name)) for label, name in extra.get("names", ()))
            return cls(_scheme(extra["scheme"]), crf, tuple(float(one) for one in extra["rewards"]), names)
        except (ConfigError, KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{file}: {error}") from error


def learn_paths(paths: Sequence[Path], options: PathOptions = DEFAULT) -> PathModel:
    """A model of paths to goals and to nowhere; pages should hold all their links (`PageView.sightings`).

    Takes about a second for thirty paths. ConfigError if no path leads to a goal.
    """
    whole = [path for path in paths if path.steps]
    if not any(path.ending is Ending.GOAL for path in whole):
        raise ConfigError(
            "no path leads to a goal yet: show at least one page of the kind you are looking for"
        )
    scheme = replace(
        choose_scheme(whole, dual=options.dual, supervision=options.supervision), hierarchy=options.hierarchy
    )
    counting = ExampleWeights(options.beginnings, options.unfollowed, options.whole)
    lessons = build_examples(whole, scheme, counting)
    if options.widespread:
        lessons = lessons.widespread()
    training = ChainOptions(variance=options.variance, max_iterations=options.max_iterations)
    crf = train_chain(lessons.examples, scheme.topology(), training)
    gone = [example.moments for example in lessons.examples[: lessons.n_gone]]
    value = compute_printed_rewards if options.as_printed else compute_state_rewards
    rewards = value(crf, gone, scheme.labels.index(GOAL), discount=options.discount)
    return PathModel(scheme, crf, tuple(rewards), name_distances(whole, scheme))


def _scheme(written: Mapping[str, Any]) -> StateScheme:
    return StateScheme(
        tuple(str(label) for label in written["labels"]),
        Supervision(written["supervision"]),
        bool(written["dual"]),
        bool(written["hierarchy"]),
    )
