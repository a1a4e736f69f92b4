"""The papers' hidden Markov models on references."""

from collections.abc import Sequence
from pathlib import Path

from portico.lab.bibtex import read_archive
from portico.lab.datasets import Labelled
from portico.lab.faithful.hmm_emissions import WordCounts, estimate_labelled, estimate_mixed
from portico.lab.faithful.hmm_structure import (
    build_maximally_specific,
    build_one_state_per_label,
    merge_neighbors,
    merge_v,
)
from portico.lab.faithful.hmm_tagger import make_tagger
from portico.lab.hmm_tokens import REFERENCE_FIELDS, Tokens, distant_counts, every_token, word_counts

PAPERS_WORD_ACCURACY = 0.934
"""Cora portal 2000, section 4.4: 6.6 % of the words wrong. Neither the data nor the model is described."""

Predictions = list[tuple[Sequence[str], Sequence[str]]]


def distant_references(data: Path) -> WordCounts:
    """Words of BibTeX fields by the labels of references; none where the archive is missing."""
    archive = data / "citations" / "bibtex.tar.xz"
    return distant_counts(read_archive(archive), [REFERENCE_FIELDS])[0] if archive.exists() else {}


def hmm_predictions(
    train: Sequence[Labelled], test: Sequence[Labelled], distant: WordCounts
) -> dict[str, Predictions]:
    """By model: the true and the given labels of each tested reference."""
    examples = [_tokens(reference) for reference in train]
    labels = [example.labels for example in examples]
    counts = word_counts(examples)
    one, folded = (
        build_one_state_per_label(labels),
        merge_v(merge_neighbors(build_maximally_specific(labels))),
    )
    near = estimate_labelled(counts)
    models = {"hmm ml L": make_tagger(one, near), "hmm v-merged L": make_tagger(folded, near)}
    if distant:
        both = estimate_mixed(counts, distant)
        models |= {"hmm ml L*D": make_tagger(one, both), "hmm v-merged L*D": make_tagger(folded, both)}
    words = [_tokens(reference).words for reference in test]
    return {
        name: list(zip((reference.labels for reference in test), model.tag(words), strict=True))
        for name, model in models.items()
    }


def _tokens(reference: Labelled) -> Tokens:
    return every_token((word.text for word in reference.words), reference.labels)
