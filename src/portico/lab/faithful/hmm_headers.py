"""Measures the papers' hidden Markov models on headers, to reproduce all of their tables."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt
from pathlib import Path
from random import Random
from typing import Any

from portico.lab.datasets import grobid
from portico.lab.datasets.bibtex import read_archive
from portico.lab.faithful.hmm_merges import merge_m, trace_merging
from portico.lab.faithful.hmm_structure import (
    HmmStructure,
    build_maximally_specific,
    build_one_state_per_label,
    keep_self_transitions,
    make_uniform,
    merge_bayesian,
    merge_neighbors,
    merge_v,
    smooth_transitions,
)
from portico.lab.faithful.hmm_tagger import (
    Emissions,
    HmmTagger,
    WordCounts,
    estimate_labelled,
    estimate_mixed,
    estimate_pooled,
    make_tagger,
)
from portico.lab.faithful.hmm_tokens import (
    HEADER_FIELDS,
    TokenSequence,
    count_distant_words,
    count_label_words,
    drop_copies,
    read_header_tokens,
    tokenize_labelled,
)
from portico.lab.plots import Chart, draw_svg

# With fewer words on which just one model is right, the binomial distribution is summed exactly; otherwise
# chi-squared with Edwards' correction is used.
_FEW = 25


@dataclass(frozen=True, slots=True)
class McNemarResult:
    """How many words only one of two models has right, and the probability of so large a difference by
    chance.
    """

    only_first: int
    only_second: int
    p: float


def compare_by_mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemarResult:
    """Compare which words two models have right, with a two-sided McNemar test."""
    pairs = list(zip(first, second, strict=True))
    only_first = sum(one and not other for one, other in pairs)
    only_second = sum(other and not one for one, other in pairs)
    return McNemarResult(only_first, only_second, _chance(only_first, only_second))


def _chance(only_first: int, only_second: int) -> float:
    n_uneven = only_first + only_second
    if n_uneven == 0:
        return 1.0
    if n_uneven < _FEW:
        n_tail = sum(comb(n_uneven, k) for k in range(min(only_first, only_second) + 1))
        return min(1.0, 2 * n_tail / 2.0**n_uneven)
    chi_squared = max(0, abs(only_first - only_second) - 1) ** 2 / n_uneven
    return erfc(sqrt(chi_squared / 2))


L, POOLED, MIXED = "L", "L+D", "L*D"
SEED = 0
N_MERGED_BY_HAND = 100
"""Number of headers whose states are merged by hand, in the papers and here."""

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class HeaderStudy:
    """The data to train and test models on; distant labels and unlabeled headers may be missing."""

    train: Sequence[TokenSequence]
    test: Sequence[TokenSequence]
    distant: WordCounts
    unlabelled: Sequence[Sequence[str]]
    progress: Progress


@dataclass(frozen=True, slots=True)
class WordOutcome:
    """For each word of the test headers, in order: its true label, and whether the model predicted it."""

    labels: tuple[str, ...]
    right: tuple[bool, ...]

    @property
    def error(self) -> float:
        return _share(self.right.count(False), len(self.right))

    def by_label(self) -> dict[str, float]:
        """The share of wrong words for each label."""
        totals = Counter(self.labels)
        wrong = Counter(label for label, right in zip(self.labels, self.right, strict=True) if not right)
        return {label: _share(wrong[label], totals[label]) for label in sorted(totals)}


def read_header_study(data: Path, *, progress: Progress) -> HeaderStudy:
    """The Cora headers, with BibTeX for distant labels and GROBID's headers as unlabeled ones, if these
    exist.

    The papers had 5,000 unlabeled headers of the same kind. GROBID's are from other times and fields and
    would mislead the models if used alone, so the training headers without their labels are added.
    """
    folder = data / "headers"
    train, test = read_header_tokens(folder, "train"), read_header_tokens(folder, "test")
    archive = data / "citations" / "bibtex.tar.xz"
    distant: WordCounts = {}
    if archive.exists():
        progress("reading BibTeX files")
        (distant,) = count_distant_words(read_archive(archive), [HEADER_FIELDS])
    unlabelled: list[TokenSequence] = []
    if (folder / "grobid").exists():
        found = grobid.read_grobid_headers(folder / "grobid")
        others = [
            tokenize_labelled(zip((word.text for word in one.words), one.labels, strict=True))
            for one in found
        ]
        unlabelled = [*drop_copies(others, [*train, *test]), *train]
    return HeaderStudy(train, test, distant, [one.words for one in unlabelled], progress)


def measure_hmms(study: HeaderStudy) -> dict[str, Any]:
    """Errors and sizes of all models, mixture weights, significance tests, and the effects of Baum-Welch
    and merging.
    """
    emissions = _emissions(study)
    structures = build_header_structures([header.labels for header in study.train])
    outcomes: dict[str, WordOutcome] = {}
    for name, structure in structures.items():
        study.progress(f"hidden Markov model {name}")
        for case, emitted in emissions.items():
            outcomes[f"{name} {case}"] = label_test_words(make_tagger(structure, emitted), study.test)
    best = MIXED if MIXED in emissions else L
    return {
        "error": {name: found.error for name, found in outcomes.items()},
        "size": {
            name: {"states": one.n_states, "transitions": one.n_transitions}
            for name, one in structures.items()
        },
        "vocabulary": {case: len(emitted.vocabulary) for case, emitted in emissions.items()},
        "weight": {label: round(weight, 3) for label, weight in emissions[best].weights.items()},
        "error by label": {
            f"{name} {case}": outcomes[f"{name} {case}"].by_label()
            for name in ("ml", "m-merged", "v-merged")
            for case in dict.fromkeys((L, best))
        },
        "words by label": dict(sorted(Counter(outcomes[f"ml {L}"].labels).items())),
        "mcnemar": _significance(outcomes, best),
        "baum-welch": _baum_welch(study, structures, emissions[best]),
        "merging": _merging(study, emissions[best]),
    }


def build_header_structures(headers: Sequence[Sequence[str]]) -> dict[str, HmmStructure]:
    """The papers' models, from one state per label without transition counts to those merged from the
    headers.
    """
    one = build_one_state_per_label(headers)
    folded = merge_v(merge_neighbors(build_maximally_specific(headers)))
    return {
        "full": make_uniform(one),
        "self": keep_self_transitions(one),
        "ml": one,
        "smooth": smooth_transitions(one),
        "m-merged": merge_m(list_by_hand(headers)),
        "v-merged": folded,
        "bayes-merged": merge_bayesian(folded),
        "m-merged, all headers": merge_m(headers),
    }


def list_by_hand(headers: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The sample of headers whose states are merged by hand."""
    return Random(SEED).sample(list(headers), min(N_MERGED_BY_HAND, len(headers)))


def label_test_words(model: HmmTagger, test: Sequence[TokenSequence]) -> WordOutcome:
    """Which words of the test headers a model labels right."""
    given = [label for labels in model.tag([one.words for one in test]) for label in labels]
    truth = [label for one in test for label in one.labels]
    return WordOutcome(tuple(truth), tuple(one == other for one, other in zip(truth, given, strict=True)))


def _emissions(study: HeaderStudy) -> dict[str, Emissions]:
    labelled = count_label_words(study.train)
    found = {L: estimate_labelled(labelled)}
    if study.distant:
        found |= {
            POOLED: estimate_pooled(labelled, study.distant),
            MIXED: estimate_mixed(labelled, study.distant),
        }
    return found


def _significance(outcomes: Mapping[str, WordOutcome], case: str) -> dict[str, dict[str, float]]:
    compared = {}
    for name in ("m-merged", "v-merged", "bayes-merged"):
        found = compare_by_mcnemar(outcomes[f"ml {case}"].right, outcomes[f"{name} {case}"].right)
        compared[f"ml against {name}, {case}"] = {
            "only ml right": found.only_first,
            "only the other right": found.only_second,
            "p": found.p,
        }
    return compared


def _baum_welch(
    study: HeaderStudy, structures: Mapping[str, HmmStructure], emissions: Emissions
) -> dict[str, dict[str, float]]:
    if not study.unlabelled:
        return {}
    words = [header.words for header in study.test]
    figures = {}
    for name in ("ml", "m-merged"):
        study.progress(f"Baum-Welch on {len(study.unlabelled)} unlabelled headers, {name}")
        initial = make_tagger(structures[name], emissions)
        models = {
            "initial": initial,
            "uniform": initial.refitted(study.unlabelled),
            "varied": initial.refitted_varied(study.unlabelled),
        }
        for condition, model in models.items():
            figures[f"{name} {condition}"] = {
                "error": label_test_words(model, study.test).error,
                "perplexity": round(model.perplexity(words), 1),
                "impossible": model.n_impossible(words),
            }
    return figures


def _merging(study: HeaderStudy, emissions: Emissions) -> dict[str, Any]:
    study.progress("merging states by hand")
    headers = list_by_hand([header.labels for header in study.train])
    return {
        "steps": [
            (structure.n_states, label_test_words(make_tagger(structure, emissions), study.test).error)
            for structure in trace_merging(headers)
        ],
        "ml, same headers": label_test_words(
            make_tagger(build_one_state_per_label(headers), emissions), study.test
        ).error,
    }


def _share(n_part: int, n_whole: int) -> float:
    return round(n_part / n_whole, 4) if n_whole else 0.0


# Figures in percent. Cora portal 2000, tables 2 to 6: 500 headers for training, 407 for testing.
WEIGHTS = {
    "address": 0.861, "affiliation": 0.858, "author": 0.446, "date": 0.909, "email": 0.657,
    "keyword": 0.470, "note": 0.808, "title": 0.329, "web": 0.629,
}  # fmt: skip
ERRORS = {
    "full": (37.3, 42.7, 35.6), "self": (14.4, 17.1, 10.7), "ml": (9.9, 10.8, 7.9),
    "smooth": (10.4, 11.5, 8.2), "m-merged": (9.0, 9.7, 7.3), "v-merged": (9.7, 10.5, 7.6),
}  # fmt: skip
SIZES = {
    "full": (17, 255), "self": (17, 252), "ml": (17, 149), "smooth": (17, 255), "m-merged": (36, 164),
    "v-merged": (155, 402),
}  # fmt: skip
BY_LABEL = {  # ML, M-merged and V-merged, each with L and L*D
    "abstract": (0, 0, 1.7, 1.4, 0.3, 0.3), "address": (4.3, 4.6, 4.9, 5.0, 4.3, 4.5),
    "affiliation": (12.7, 8.9, 12.1, 9.4, 12.2, 8.9), "author": (4.7, 2.4, 5.2, 2.9, 4.8, 2.4),
    "date": (2.6, 3.4, 3.4, 3.0, 2.6, 3.8), "degree": (24.2, 29.2, 19.7, 26.8, 22.9, 27.5),
    "email": (11.0, 11.2, 12.9, 13.5, 11.0, 11.0), "keyword": (8.4, 2.0, 2.9, 1.2, 5.9, 1.1),
    "note": (15.7, 15.4, 12.3, 11.3, 15.5, 14.3), "phone": (6.3, 6.9, 10.6, 13.1, 6.9, 8.1),
    "pubnum": (35.1, 35.1, 38.9, 39.7, 35.1, 35.1), "title": (6.4, 1.6, 6.6, 2.1, 7.0, 1.8),
    "web": (19.4, 16.7, 58.3, 58.3, 36.1, 33.3),
}  # fmt: skip
BAUM_WELCH = {
    "ml initial": (7.9, 475), "ml uniform": (10.0, 374), "ml varied": (10.6, 369),
    "m-merged initial": (7.3, 486), "m-merged uniform": (10.9, 363), "m-merged varied": (11.9, 357),
}  # fmt: skip
# Domain-specific search engines 1999, table 1: the same models, labelled words only, on all 435 headers.
ERRORS_OF_435 = {"ml": 10.2, "m-merged": 8.9, "v-merged": 9.8}

_CASES = ("L", "L+D", "L*D")
_MISSING = "–"


def format_hmm_tables(figures: Mapping[str, Any]) -> Iterator[str]:
    """Lines of text with each table of the papers: our figure first, theirs in parentheses."""
    yield from _weights(figures["weight"])
    yield from _errors(figures)
    yield from _by_label(figures["error by label"])
    yield ""
    for name, found in figures["mcnemar"].items():
        yield (
            f"McNemar, {name}: {found['only ml right']} words right by the first alone, "
            f"{found['only the other right']} by the second alone, p = {found['p']:.2g}"
        )
    yield from _show_baum_welch(figures["baum-welch"])


def write_merging(figures: Mapping[str, Any], folder: Path) -> Path:
    """Draw figure 9: the error after each step of merging states by hand."""
    steps = figures["merging"]["steps"]
    best = "L*D" if "ml L*D" in figures["error"] else "L"
    chart = Chart(
        title="Word error while states are merged by hand",
        x_name="states",
        y_name="words wrong, %",
        lines={"merged by hand, 100 headers": [(n_states, 100 * error) for n_states, error in steps]},
        levels={
            "one state a label, all headers": 100 * figures["error"][f"ml {best}"],
            "one state a label, same headers": 100 * figures["merging"]["ml, same headers"],
        },
        log_x=True,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "merging.svg"
    path.write_text(draw_svg(chart), encoding="utf-8")
    return path


def _weights(weights: Mapping[str, float]) -> Iterator[str]:
    if weights:
        yield "Table 2: weight of labelled words in L*D, ours (theirs)"
        yield from (f"  {label:<14}{weight:.3f} ({WEIGHTS[label]:.3f})" for label, weight in weights.items())


def _errors(figures: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "Tables 3 and 4: states, transitions, word error % with L, L+D, L*D, ours (theirs, 407 headers)"
    for name, size in figures["size"].items():
        theirs = SIZES.get(name, (_MISSING, _MISSING))
        cells = [f"{size['states']} ({theirs[0]})", f"{size['transitions']} ({theirs[1]})"]
        for case, paper in zip(_CASES, ERRORS.get(name, (None, None, None)), strict=True):
            cells.append(_beside(figures["error"].get(f"{name} {case}"), paper))
        on_435 = f"  L on 435: theirs {ERRORS_OF_435[name]}" if name in ERRORS_OF_435 else ""
        yield f"  {name:<24}" + "".join(f"{cell:<15}" for cell in cells) + on_435


def _by_label(errors: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    yield ""
    yield "Table 5: word error % by label, ours (theirs)"
    yield f"  {'':<14}" + "".join(f"{name:<16}" for name in errors)
    columns = [f"{name} {case}" for name in ("ml", "m-merged", "v-merged") for case in ("L", "L*D")]
    for label, theirs in BY_LABEL.items():
        papers = dict(zip(columns, theirs, strict=True))
        cells = [_beside(found.get(label), papers.get(name)) for name, found in errors.items()]
        yield f"  {label:<14}" + "".join(f"{cell:<16}" for cell in cells)


def _show_baum_welch(figures: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    if figures:
        yield ""
        yield "Table 6: word error % and perplexity after Baum-Welch, ours (theirs)"
    for name, found in figures.items():
        error, perplexity = BAUM_WELCH[name]
        note = f"  without {found['impossible']} headers it cannot emit" if found["impossible"] else ""
        beside = _beside(found["error"], error)
        yield f"  {name:<24}{beside:<15}{found['perplexity']:.0f} ({perplexity}){note}"


def _beside(ours: float | None, theirs: float | None) -> str:
    left = _MISSING if ours is None else f"{100 * ours:.1f}"
    return left if theirs is None else f"{left} ({theirs})"
