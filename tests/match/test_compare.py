"""Field by field: what agrees, and what two records together are taken to mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.match.compare import (
    compare,
    compare_pages,
    compare_people,
    compare_titles,
    compare_venue_names,
    compare_years,
)
from portico.match.mention import (
    Mention,
    find_identifiers,
    fold_words,
    parse_mention,
    parse_pages,
    parse_year,
)
from portico.match.scoring import WEIGHTS, compute_log_odds, to_probability
from portico.text.names import parse_name, split_names
from tests.match.build import header, record, reference


def mention(title: str = "", people: str = "", year: int | None = None, venue: str = "") -> Mention:
    return Mention(
        title=fold_words(title),
        people=tuple(parse_name(name) for name in split_names(people)),
        year=year,
        venue=fold_words(venue),
    )


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        (
            "The cascade-correlation learning architecture",
            "The Cascade Correlation Learning Architecture",
            "same",
        ),
        ("Learning on-line with kernels and margins", "Learning online with kernels and margins", "same"),
        ("Multivariate trees", "Multivariate Trees.", "same-brief"),
        ("Learning", "LEARNING", "same-short"),
        (
            "The cascade-correlation learning architecture",
            "The cascade-correlaton learning architecture",
            "close",
        ),
        (
            "Cascade-correlation learning architecture",
            "A newer cascade-correlation learning architecture",
            "near",
        ),
        ("Incremental induction of decision trees", "Incremental induction of decision lists", "reworded"),
        ("Faster back propagation of errors", "Faster backpropagation of erors", "close"),
        ("Hidden Markov models for information extraction", "Hidden Markov models", "part"),
        ("Planning by rewriting, part I", "Planning by rewriting, part II", "sequel"),
        ("Planning by rewriting and search", "Planning by rewriting and search II", "sequel"),
        ("Hidden Markov models", "A survey of garbage collection", "other"),
        ("", "Hidden Markov models", "lost"),
        ("", "", "none"),
    ],
)
def test_titles(one: str, other: str, level: str) -> None:
    assert compare_titles(mention(one), mention(other)) == f"title:{level}"
    assert compare_titles(mention(other), mention(one)) == f"title:{level}"


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        ("A. McCallum and K. Nigam", "McCallum, Andrew K., & Nigam, Kamal", "same"),
        ("A. McCallum et al.", "A. McCallum, K. Nigam, J. Rennie", "part"),
        ("K. Nigam", "A. McCallum, K. Nigam, J. Rennie", "part-late"),
        ("A. McCallum, K. Nigam", "A. McCallum, T. Mitchell, S. Thrun", "most"),
        ("A. McCallum, B. Liu, C. Wu", "A. McCallum, T. Mitchell, S. Thrun", "few"),
        ("A. McCallum", "B. McCallum", "other"),
        ("S. Fahlman", "S. Fahlmann", "same"),
        ("L. Wang", "L. Wong", "other"),
        ("", "A. McCallum", "none"),
    ],
)
def test_people(one: str, other: str, level: str) -> None:
    assert compare_people(mention(people=one), mention(people=other)) == f"people:{level}"


@pytest.mark.parametrize(
    ("one", "other", "level"),
    [
        (1999, 1999, "same"),
        (1999, 2000, "next"),
        (1999, 1996, "near"),
        (1999, 1990, "other"),
        (None, 1999, "none"),
    ],
)
def test_years(one: int | None, other: int | None, level: str) -> None:
    assert compare_years(mention(year=one), mention(year=other)) == f"year:{level}"


@pytest.mark.parametrize(
    ("one", "other", "agreement"),
    [
        ("Machine Learning", "machine learning", "same"),
        ("Proc. Int. Conf. on Machine Learning", "ICML", "same"),
        ("NIPS", "Neural Information Processing Systems", "same"),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research", "like"),
        ("VLDB", "SIGMOD Record", "other"),
        ("", "VLDB", "none"),
        ("Proceedings of the conference", "VLDB", "none"),
    ],
)
def test_venues(one: str, other: str, agreement: str) -> None:
    assert compare_venue_names(fold_words(one), fold_words(other)) == agreement
    assert compare_venue_names(fold_words(other), fold_words(one)) == agreement


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1999", 1999),
        ("(1999a).", 1999),
        ("19xx", None),
        ("in press", None),
        ("pp. 1901-1999", None),
        ("May 3, 2001", 2001),
    ],
)
def test_year_of(text: str, year: int | None) -> None:
    assert parse_year(text) == year


@pytest.mark.parametrize(
    ("text", "pages"), [("pp. 127--163", (127, 163)), ("127-63", (127, 163)), ("893,", (893,)), ("n/a", ())]
)
def test_page_range(text: str, pages: tuple[int, ...]) -> None:
    assert parse_pages(text) == pages


def test_a_year_among_the_words_counts_for_a_reference_not_for_a_header() -> None:
    raw = "P. Utgoff. Perceptron trees. AAAI, 1988."
    assert parse_mention(record("a#ref-1", "reference", "Perceptron trees", raw=raw)).year == 1988
    assert parse_mention(record("a#header", "header", "Perceptron trees", raw=raw)).year is None


def test_pages() -> None:
    one, other = Mention(pages=(5, 9)), Mention(pages=(5,))
    assert compare_pages(one, other) == "pages:same"
    assert compare_pages(one, Mention(pages=(6, 9))) == "pages:last"
    assert compare_pages(one, Mention(pages=(7, 8))) == "pages:other"


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("https://doi.org/10.1023/A:1009953814988.", "doi:10.1023/a:1009953814988"),
        ("arXiv:1706.03762v5", "arxiv:1706.03762"),
        ("http://www.cs.example/paper.ps/", "url:www.cs.example/paper.ps"),
        ("personal communication", None),
    ],
)
def test_identifiers(value: str, found: str | None) -> None:
    assert list(find_identifiers([value])) == ([found] if found else [])


def test_a_missing_title_is_looked_for_in_the_words_of_the_record() -> None:
    untitled = reference(
        "a", 1, raw="[3] A. McCallum. Automating the construction of portals. IR Journal, 2000"
    )
    titled = header("b", "Automating the construction of portals", "Andrew McCallum")
    assert compare_titles(parse_mention(untitled), parse_mention(titled)) == "title:raw"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        # slips: a typing error, a lost author, a year off by one, an abbreviated venue
        (mention("Shift of bias for inductive concept learning", "P. Utgoff", 1986),
         mention("Shift of bais for inductive concept learning", "Utgoff, Paul E.", 1987), True),
        (mention("Instance-based learning algorithms", "D. Aha, D. Kibler", 1991, "Machine Learning"),
         mention("Instance-based learning algorithms", "D. Aha et al.", None, "Mach. Learn."), True),
        # two papers: same authors and volume, other title; same short title, other authors
        (mention("Perceptron trees", "P. Utgoff", 1988, "AAAI"),
         mention("ID5: an incremental ID3", "P. Utgoff", 1988, "AAAI"), False),
        (mention("Editor's notes", "M. Franklin", 1999), mention("Editor's notes", "J. Widom", 1999), False),
    ],
)  # fmt: skip
def test_decisions(one: Mention, other: Mention, same: bool) -> None:
    assert (compute_log_odds(one, other) > 0) is same


def test_every_level_has_a_weight() -> None:
    one, other = mention("A long enough title of a paper", "A. Smith", 1999, "VLDB"), mention()
    levels = {level for a in (one, other) for b in (one, other) for level in compare(a, b)}
    assert {level for level in levels if not level.endswith(":none")} <= WEIGHTS.keys()


TEXTS = st.text(alphabet="abc IV.,é1", max_size=30)
MENTIONS = st.builds(mention, TEXTS, TEXTS, st.none() | st.integers(1990, 1999), TEXTS)


@given(MENTIONS, MENTIONS)
def test_comparing_is_symmetric_and_gives_a_probability(one: Mention, other: Mention) -> None:
    assert compare(one, other) == compare(other, one)
    assert 0 < to_probability(compute_log_odds(one, other)) < 1
