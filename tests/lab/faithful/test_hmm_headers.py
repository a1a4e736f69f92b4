"""The papers' models on headers and references: tokens, hand-written merges, significance, tables."""

from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from portico.lab.datasets.bibtex import read_entries
from portico.lab.faithful.hmm_headers import (
    SIZES,
    HeaderStudy,
    build_header_structures,
    compare_by_mcnemar,
    format_hmm_tables,
    label_test_words,
    measure_hmms,
    write_merging,
)
from portico.lab.faithful.hmm_merges import ROLES, merge_m, trace_merging
from portico.lab.faithful.hmm_tagger import estimate_labelled, make_tagger
from portico.lab.faithful.hmm_tokens import (
    HEADER_FIELDS,
    REFERENCE_FIELDS,
    TokenSequence,
    count_distant_words,
    count_label_words,
    drop_copies,
    read_header_tokens,
    tokenize_every_word,
    tokenize_labelled,
    tokenize_word,
)
from portico.lab.plots import Chart, draw_svg


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Networks,", "networks"),
        ("Multi-hop", "multihop"),
        ("(appel@princeton.edu)", "+EMAIL+"),
        ("http://www.cs.umass.edu/~koza/", "+WEB+"),
        ("1992.", "+YEAR+"),
        ("2192", "+NUMBER+"),
        ("30332-0280", "+ZIP+"),
        ("D-53117", "+ZIP+"),
        ("GIT-CC-92/28", "+PUBNUM+"),
        ("(614)-292-5199,", "+NUMBER+"),
        ("&", ""),
        ("2nd", "2nd"),
    ],
)
def test_token(word: str, expected: str) -> None:
    assert tokenize_word(word) == expected


def test_passages_are_one_token_and_punctuation_none() -> None:
    labelled = [
        ("Deep", "title"), ("-", "title"), ("Nets", "title"), ("Abstract", "abstract"), ("We", "abstract"),
        ("1", "intro"), ("Introduction", "intro"),
    ]  # fmt: skip
    assert tokenize_labelled(labelled, page=True) == TokenSequence(
        ("deep", "nets", "+ABSTRACT+", "+INTRO+", "+PAGE+"), ("title", "title", "abstract", "intro", "page")
    )
    words, labels = zip(*labelled, strict=True)
    assert tokenize_every_word(words, labels).words == (
        "deep",
        "+MARK+",
        "nets",
        "abstract",
        "we",
        "+NUMBER+",
        "introduction",
    )


def test_copies_are_known_by_their_titles() -> None:
    one, other = (
        tokenize_labelled([("Deep", "title"), ("A", "author")]),
        tokenize_labelled([("Wide", "title")]),
    )
    assert drop_copies([one, other], [tokenize_labelled([("DEEP", "title"), ("B", "author")])]) == [other]


def test_bibtex_fields_become_words_of_labels() -> None:
    entries = list(read_entries("@inproceedings{x, title={Deep Nets}, booktitle={Proc. of AAAI}, year=1999}"))
    header, reference = count_distant_words(entries, [HEADER_FIELDS, REFERENCE_FIELDS])
    assert header == {
        "title": Counter(deep=1, nets=1),
        "note": Counter(proc=1, of=1, aaai=1),
        "date": Counter({"+YEAR+": 1}),
    }
    assert reference["booktitle"] == header["note"]


@pytest.mark.parametrize(
    ("only_first", "only_second", "p"),
    # The first: Agresti's table of approval ratings, 150 against 86, chi-squared with correction 16.82.
    [(150, 86, 4.115e-05), (10, 2, 0.03857), (5, 5, 1.0), (0, 0, 1.0)],
)
def test_mcnemar_against_known_values(only_first: int, only_second: int, p: float) -> None:
    first = [True] * only_first + [False] * only_second + [True, False] * 7
    second = [False] * only_first + [True] * only_second + [True, False] * 7
    found = compare_by_mcnemar(first, second)
    assert (found.only_first, found.only_second) == (only_first, only_second)
    assert found.p == pytest.approx(p, rel=1e-3)


HEADERS = [
    ["pubnum", "title", "title", "author", "affiliation", "note", "abstract", "note", "intro"],
    ["title", "author", "note", "abstract", "keyword", "pubnum", "intro"],
    ["title", "author", "affiliation", "date", "abstract", "page"],
]


def test_roles_tell_states_of_one_label_apart() -> None:
    structure = merge_m(HEADERS)
    n_states = Counter(structure.labels)
    assert n_states["pubnum"] == 2  # before the title and after the abstract
    assert n_states["note"] == 3  # after an affiliation, after an author, after the abstract
    assert n_states["title"] == n_states["author"] == n_states["affiliation"] == 1


def test_merging_goes_from_every_run_to_one_state_a_label() -> None:
    steps = list(trace_merging(HEADERS))
    assert steps[0].n_states == 2 + 21
    assert steps[-1].n_states == 2 + len({label for labels in HEADERS for label in labels})
    assert merge_m(HEADERS) in steps
    sizes = [step.n_states for step in steps]
    assert sizes == sorted(sizes, reverse=True)
    assert {sum(step.counts.values()) for step in steps} == {25}


def test_every_label_has_a_role_for_all_that_is_left() -> None:
    assert {role.label for role in ROLES if role.part is None and role.after is None} == {
        role.label for role in ROLES
    }


def example_study(*, unlabelled: bool) -> HeaderStudy:
    words = {"note": "thanks", "title": "learning", "author": "smith", "affiliation": "university"}
    examples = [
        TokenSequence(tuple(words.get(label, f"+{label}+") for label in labels), tuple(labels))
        for labels in HEADERS * 3
    ]
    distant = {"title": Counter(learning=3, models=1), "author": Counter(jones=2)}
    return HeaderStudy(
        examples, examples, distant, [one.words for one in examples] * unlabelled, lambda _: None
    )


def test_all_tables_are_filled(tmp_path: Path) -> None:
    figures = measure_hmms(example_study(unlabelled=True))
    assert figures["error"]["ml L"] == 0.0
    assert set(figures["weight"]) == {"title", "author"}
    assert figures["baum-welch"]["ml initial"]["perplexity"] > 1
    lines = list(format_hmm_tables(figures))
    assert sum(line.startswith("Table") for line in lines) == 4
    assert any(line.split()[:1] == ["v-merged"] and "(155)" in line for line in lines)
    drawn = ElementTree.parse(write_merging(figures, tmp_path)).getroot()
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))) == 3


def test_without_unlabelled_headers_there_is_no_sixth_table() -> None:
    lines = list(format_hmm_tables(measure_hmms(example_study(unlabelled=False))))
    assert not any(line.startswith("Table 6") for line in lines)


def test_a_chart_of_one_point_can_be_drawn() -> None:
    root = ElementTree.fromstring(draw_svg(Chart("a < b", "x", "y", {"one": [(1.0, 2.0)]})))
    assert root[0].text == "a < b"


@pytest.mark.data
def test_models_have_the_sizes_of_the_papers(labelled_data: Path) -> None:
    train = read_header_tokens(labelled_data / "data" / "headers", "train")
    assert abs(sum(len(one.words) for one in train) - 23_557) <= 1
    structures = build_header_structures([one.labels for one in train])
    for name in ("full", "self", "ml", "smooth", "v-merged"):
        assert (structures[name].n_states, structures[name].n_transitions) == SIZES[name]


@pytest.mark.data
def test_one_state_a_label_errs_as_in_the_papers(labelled_data: Path) -> None:
    train, test = (
        read_header_tokens(labelled_data / "data" / "headers", split) for split in ("train", "test")
    )
    assert len(count_label_words(train)) == 15
    emissions = estimate_labelled(count_label_words(train))
    structures = build_header_structures([one.labels for one in train])
    errors = {
        name: label_test_words(make_tagger(structures[name], emissions), test).error
        for name in ("ml", "m-merged", "v-merged")
    }
    assert errors["ml"] == pytest.approx(0.102, abs=0.01)
    assert errors["v-merged"] == pytest.approx(0.098, abs=0.01)
    assert errors["m-merged"] < errors["ml"]
