"""Whatever stands where references should: no crash, and no cluster that swallows others."""

import pytest

from portico.types.record import Record
from tests.match.build import header, match_all, record, reference

PAPER = header("p", "Incremental induction of decision trees", "Paul E. Utgoff")
MANY = 400


def cited(records: list[Record]) -> list[str]:
    """The entity of every reference, in the order of the records."""
    found = {citation.record: citation.cited for citation in match_all([PAPER, *records])[1]}
    return [found[each.id] for each in records]


def raw(document: str, number: int, text: str, **more: str) -> Record:
    return record(f"{document}#ref-{number}", "reference", "", raw=text, **more)


@pytest.mark.parametrize(
    ("records", "n_entities"),
    [
        ([raw("d", n, f"http://example.org/{n}", url=f"http://example.org/{n}") for n in range(MANY)], MANY),
        ([raw(f"d{n}", 1, "See http://example.org/a", url="http://example.org/a") for n in range(MANY)], 1),
        ([raw("d", n, f"Utgoff, {n}, {n + 7}, {n + 90}") for n in range(MANY)], MANY),  # an index
        ([raw("d", n, f"decision tree, {n}-{n + 2}") for n in range(MANY)], MANY),
        ([reference("d", n, "", f"{'ABCD'[n]}. Lee", year=f"{1980 + n}", pages="1-9") for n in range(4)], 4),
        ([reference(f"d{n}", 1, "", "P. Utgoff", year="1989", pages="161-186") for n in range(MANY)], 1),
        ([reference("d", n, "et al.", "et al.", year="19xx") for n in range(MANY)], MANY),
        ([reference(f"d{n}", 1, "Об индукции деревьев решений", "П. Иванов") for n in range(MANY)], 1),
        ([reference("d", n, "決定木の学習", "田中 太郎", year=f"{1900 + n % 100}") for n in range(100)], 100),
        ([reference(name, 1, "Decision theory of everything", f"{name} {name}", year=year)
          for name, year in (("Ann", "1970"), ("Bertold", "1980"), ("Curtis", "1990"))], 3),
        ([reference("d", 1, "Python tutorial for everybody", "Guido van Rossum", year="1995"),
          reference("e", 1, "Python tutorial for everybody", "van Rossum, G.", year="1995"),
          reference("f", 1, "Python tutorial for everybody", "G. van Rossum, Jr.", year="19xx")], 1),
        ([reference("d", 1, "A long title of a paper about learning", "Ann Lee et al.", year="1995"),
          reference("e", 1, "A long title of a paper about learning", "A. Lee, B. Roux and C. Wood")], 1),
        ([reference("d", 1, "x" * 20_000, "y" * 20_000, year="9" * 50)], 1),
        ([reference("d", 1, "\ud800\x00 broken letters of a title", "\udfff")], 1),
    ],
    ids=["addresses", "one address", "an index of names", "an index of words", "no titles",
         "no title, one place", "et al. and 19xx", "Russian",
         "Japanese and many years", "same words by others", "particles and suffixes", "et al.", "endless",
         "broken letters"],
)  # fmt: skip
def test_odd_references(records: list[Record], n_entities: int) -> None:
    assert len(set(cited(records))) == n_entities


def test_ten_thousand_identical_references_take_no_time_and_no_other_with_them() -> None:
    same = [
        reference(f"d{n}", 1, "Learning to learn from learners", "A. Lee", year="1989") for n in range(10_000)
    ]
    other = reference("e", 1, "Learning to teach teachers of others", "A. Lee", year="1989")
    found = cited([*same, other])
    assert len(set(found[:-1])) == 1
    assert found[-1] != found[0]
