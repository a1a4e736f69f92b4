"""A hidden Markov model over words whose states carry labels: it tags, and learns from unlabelled words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TypeAlias

import numpy as np

from portico.lab.faithful.hmm import Hmm, compute_perplexity, count_expected, train_baum_welch
from portico.lab.faithful.hmm_emissions import Emissions, fit_mixture_weights, interpolate_rows
from portico.lab.faithful.hmm_structure import END, START, HmmStructure
from portico.learn.counts import normalize_rows

Words: TypeAlias = Sequence[str]

# The papers do not say how often Baum-Welch ran; it stops earlier where the likelihood hardly rises. On the
# unlabelled headers of the lab, of one, three and ten rounds each raised the error more than the one before.
MAX_ROUNDS = 10
# BW-varied fits its mixture weights on every tenth unlabelled sequence, as in the papers.
HELD_OUT = 10


@dataclass(frozen=True, slots=True, eq=False)
class HmmTagger:
    """States with labels, and what they emit."""

    labels: tuple[str, ...]
    emissions: Emissions
    model: Hmm

    def tag(self, sequences: Sequence[Words]) -> list[tuple[str, ...]]:
        """A label for each word of each sequence, along the most probable path."""
        paths = self.model.decode(self._encoded(sequences))
        return [tuple(self.labels[state] for state in path) for path in paths]

    def n_impossible(self, sequences: Sequence[Words]) -> int:
        """How many sequences no path can emit."""
        return sum(not isfinite(value) for value in self.model.log_likelihoods(self._encoded(sequences)))

    def perplexity(self, sequences: Sequence[Words]) -> float:
        """Of the sequences that some path can emit, summed over all paths."""
        return compute_perplexity(self.model, self._encoded(sequences))

    def refitted(self, unlabelled: Sequence[Words]) -> "HmmTagger":
        """BW-uniform: Baum-Welch, then every state's new words mixed half and half with those it had."""
        fitted, _ = train_baum_welch(self.model, self._encoded(unlabelled), max_rounds=MAX_ROUNDS)
        return replace(self, model=self._mixed(fitted, np.full(fitted.n_states, 0.5)))

    def refitted_varied(self, unlabelled: Sequence[Words]) -> "HmmTagger":
        """BW-varied: as BW-uniform on most sequences; then each state's weight is fitted on the others."""
        sequences = self._encoded(unlabelled)
        training = [one for idx, one in enumerate(sequences) if idx % HELD_OUT]
        fitted, _ = train_baum_welch(self.model, training, max_rounds=MAX_ROUNDS)
        halves = self._mixed(fitted, np.full(fitted.n_states, 0.5))
        expected = count_expected(halves, sequences[::HELD_OUT]).emissions
        weights = fit_mixture_weights(expected, fitted.emissions, self.model.emissions[self.model.rows])
        return replace(self, model=self._mixed(fitted, weights))

    def _mixed(self, fitted: Hmm, weights: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Hmm:
        before = self.model.emissions[self.model.rows]
        return replace(fitted, emissions=interpolate_rows(weights, fitted.emissions, before))

    def _encoded(self, sequences: Sequence[Words]) -> list[list[int]]:
        return [self.emissions.encode(words) for words in sequences]


def make_tagger(structure: HmmStructure, emissions: Emissions) -> HmmTagger:
    """Transitions as likely as they were counted, states that emit the words of their labels."""
    n_states = len(structure.labels)
    leaving = np.zeros((n_states, n_states + 1))
    start = np.zeros((1, n_states))
    for (source, target), n_taken in structure.counts.items():
        if source == START:
            start[0, target] = n_taken
        else:
            leaving[source, n_states if target == END else target] = n_taken
    leaving = normalize_rows(leaving)
    row = {label: idx for idx, label in enumerate(emissions.labels)}
    model = Hmm(
        start=normalize_rows(start)[0],
        transitions=leaving[:, :-1],
        end=leaving[:, -1],
        emissions=emissions.table,
        rows=np.array([row[label] for label in structure.labels], dtype=np.int64),
    )
    return HmmTagger(structure.labels, emissions, model)
