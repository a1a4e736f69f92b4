"""Records in, entities and citations out."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.match.entity_ids import ALPHABET, ID_LENGTH
from portico.types.correction import Verdict
from portico.types.record import Citation, Entity, EntityId, Record, RecordId
from tests.match.build import header, match_all, record, reference

PORTALS = "Automating the construction of internet portals with machine learning"
BIAS = "Shift of bias for inductive concept learning"
TREES = "Incremental induction of decision trees"

WEB = (
    header("a", PORTALS, "Andrew McCallum", "Kamal Nigam"),
    reference("a", 1, BIAS, "P. Utgoff", year="1986", booktitle="Machine Learning: An AI Approach"),
    reference("a", 2, TREES, "Utgoff, P. E.", year="1989", journal="Machine Learning"),
    header("b", TREES, "Paul E. Utgoff"),
    reference("b", 1, "Shift of bais for inductive concept learning", "Utgoff, P. E.", year="1985"),
    header("c", "Learning from citations of citations", "Mary Jones"),
    reference("c", 1, "Automating the construcion of internet portals", "A. McCallum et al.", year="2000"),
    reference("c", 2, TREES, "P. Utgoff", year="1989", journal="Mach. Learn."),
)


def by_title(entities: tuple[Entity, ...], title: str) -> Entity:
    found = [entity for entity in entities if entity.value("title") == title]
    assert len(found) == 1
    return found[0]


def cited_by(citations: tuple[Citation, ...], entity: Entity) -> set[EntityId]:
    return {citation.citing for citation in citations if citation.cited == entity.id}


def test_a_small_web() -> None:
    entities, citations = match_all(WEB)
    assert len(entities) == 4
    portals, trees = by_title(entities, PORTALS), by_title(entities, TREES)
    bias = by_title(entities, BIAS)
    third = by_title(entities, "Learning from citations of citations")
    assert portals.documents == ("a",)
    assert bias.documents == ()
    assert cited_by(citations, portals) == {third.id}
    assert cited_by(citations, trees) == {portals.id, third.id}
    assert cited_by(citations, bias) == {portals.id, trees.id}
    assert (portals.n_citations, trees.n_citations, bias.n_citations, third.n_citations) == (1, 2, 2, 0)
    assert trees.authority > portals.authority > third.authority == 0
    assert [citation.record for citation in citations] == sorted(r.id for r in WEB if r.kind == "reference")
    assert all(0.5 < citation.confidence <= 1 for citation in citations)


def test_a_held_paper_borrows_what_its_header_lacks() -> None:
    trees = by_title(match_all(WEB)[0], TREES)
    assert trees.chosen == "b#header"
    assert trees.value("author") == "Paul E. Utgoff"
    assert (trees.value("year"), trees.value("journal")) == ("1989", "Machine Learning")
    assert trees.origins == (("year", "a#ref-2"), ("journal", "a#ref-2"))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(chance: random.Random) -> None:
    shuffled = list(WEB)
    chance.shuffle(shuffled)
    assert match_all(shuffled) == match_all(WEB)


def test_ids_stay_when_documents_are_added() -> None:
    before = {entity.value("title"): entity.id for entity in match_all(WEB)[0]}
    added = [
        header("0", BIAS, "Paul Utgoff"),  # comes to be held
        reference("0", 1, "Perceptron trees: a case study", "P. Utgoff", year="1988"),
        header("z", "Something else entirely, about compilers", "Xavier Roux"),
        reference("z", 1, PORTALS, "McCallum, A.", "Nigam, K.", year="2001"),
    ]
    entities, _ = match_all([*WEB, *added])
    after = {entity.value("title"): entity.id for entity in entities}
    assert {title: after[title] for title in before} == before
    assert by_title(entities, BIAS).documents == ("0",)


def test_ids_are_fit_for_urls_and_differ() -> None:
    entities, _ = match_all(WEB)
    assert len({entity.id for entity in entities}) == len(entities)
    assert all(set(entity.id) <= set(ALPHABET) and len(entity.id) == ID_LENGTH for entity in entities)


def test_papers_of_the_same_name_have_ids_of_their_own() -> None:
    records = [header("a", "Preface", "Ann Lee"), header("b", "Preface", "Ann Lee"), header("c", "Preface")]
    entities, _ = match_all(records)
    assert len({entity.id for entity in entities}) == 3


def test_two_versions_of_a_document_are_one_paper() -> None:
    entities, _ = match_all(
        [header("pdf", TREES, "Paul E. Utgoff"), header("ps", TREES.upper(), "P. Utgoff")]
    )
    assert [entity.documents for entity in entities] == [("pdf", "ps")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (header("a", TREES, "Paul Utgoff"), header("b", TREES, "Mary Jones")),
        (
            header("a", "Planning by rewriting, part I", "Ann Lee"),
            header("b", "Planning by rewriting, part II", "Ann Lee"),
        ),
        (
            header("a", TREES, "Paul Utgoff"),
            header("b", "Incremental induction of decision lists", "Paul Utgoff"),
        ),
        (header("a"), header("b")),
    ],
)
def test_two_papers_stay_two(one: Record, other: Record) -> None:
    assert len(match_all([one, other])[0]) == 2


def test_a_reference_between_two_papers_does_not_join_them() -> None:
    one, other = (
        header("a", TREES, "Paul Utgoff"),
        header("b", f"{TREES} and lists with noise", "Paul Utgoff"),
    )
    between = reference("c", 1, f"{TREES} and lists", "P. Utgoff")
    entities, _ = match_all([one, other, between, header("c", PORTALS)])
    assert sorted(len(entity.documents) for entity in entities if entity.documents) == [1, 1, 1]


def test_report_and_article_of_one_work_are_its_editions() -> None:
    report = {"year": "1987", "tech": "Technical Report TR-87-12"}
    article = {"year": "1989", "journal": "Machine Learning", "volume": "4", "pages": "161-186"}
    records = [
        header("a", TREES, "Paul E. Utgoff"),
        *(reference("b", n, TREES, "P. Utgoff", **report) for n in (1, 2)),
        *(reference("c", n, TREES, "P. Utgoff", **article) for n in (1, 2, 3)),
    ]
    trees = by_title(match_all(records)[0], TREES)
    assert [(each.year, each.form) for each in trees.editions] == [(1987, "report"), (1989, "journal")]
    assert sum(len(each.records) for each in trees.editions) == len(trees.records) == 6
    assert trees.editions[1].venue == "Machine Learning"
    assert by_title(match_all(records[:1])[0], TREES).editions == ()


def test_a_paper_is_not_cited_by_itself() -> None:
    entities, citations = match_all(
        [header("a", TREES, "Paul Utgoff"), reference("a", 1, TREES, "P. Utgoff")]
    )
    assert len(citations) == 1
    assert [entity.n_citations for entity in entities] == [0]


CHORDS = header("a", "A pregroup grammar for chord sequences", "Richard G. Terrat", year="2005")


@pytest.mark.parametrize(
    ("own", "is_itself"),
    [
        (("A Pregroup Grammar for Chord Sequences", "R. Terrat"), True),
        (("A Pregroup Grammar for Chord Sequences", "R. Terrat", "2004", "arXiv"), True),
        (("A Pregroup Grammar for Chord Sequences", "R. Terrat", "2001"), False),  # an earlier paper
        (("A Pregroup Grammar for Chord Sequences", "Mary Jones"), False),
        (("Pregroup grammar for chord sequences", "R. Terrat"), False),
        (("Pregroup grammars for chords", "R. Terrat", "2004"), False),
        (("Additional results to A pregroup grammar for chord sequences", "R. Terrat"), False),
        (("A Pregroup Grammar for Chord Sequences [Code]", "R. Terrat", "2005"), False),
    ],
)
def test_a_paper_is_one_of_its_references_only_by_an_equal_title(
    own: tuple[str, ...], is_itself: bool
) -> None:
    title, author, year, place = (*own, "", "")[:4]
    cited = reference("a", 1, title, author, year=year, journal=place)
    _, (citation,) = match_all([CHORDS, cited])
    assert (citation.citing == citation.cited) == is_itself


def test_what_another_paper_says_of_it_may_be_less_exact() -> None:
    cited = reference("b", 1, "Pregroup grammar for chord sequences", "R. Terrat", year="2005")
    entities, (citation,) = match_all([CHORDS, header("b", TREES, "Paul E. Utgoff"), cited])
    assert citation.cited == by_title(entities, "A pregroup grammar for chord sequences").id


def test_builders_may_say_that_a_paper_cites_itself() -> None:
    cited = reference("a", 1, "Pregroup grammars for chords", "R. Terrat", year="2005")
    verdict = Verdict(RecordId("a#header"), cited.id, same=True, who="me", at=0.0)
    _, (citation,) = match_all([CHORDS, cited], verdicts=[verdict])
    assert citation.citing == citation.cited


THESIS = {"note": "PhD thesis, Rutgers University"}


@pytest.mark.parametrize(
    ("one", "other", "n_papers"),
    [
        (THESIS, {"journal": "Machine Learning", "volume": "4"}, 2),
        (THESIS, {"publisher": "Kluwer"}, 2),
        (THESIS, {}, 1),
        ({"publisher": "Kluwer"}, {"booktitle": "Proceedings of AAAI", "pages": "1-9"}, 2),
        ({"tech": "Technical report 90-100"}, {"journal": "Machine Learning"}, 2),
        (
            {"booktitle": "Proceedings of AAAI"},
            {"journal": "Machine Learning"},
            1,
        ),  # the paper and its article
    ],
)
def test_thesis_book_report_and_article_of_one_title_stand_apart(
    one: dict[str, str], other: dict[str, str], n_papers: int
) -> None:
    cited = [
        reference(name, 1, BIAS, "P. Utgoff", year=year, **said)
        for name, year, said in (("a", "1986", one), ("b", "1986", other), ("c", "1987", other))
    ]
    citations = match_all(cited)[1]
    assert len({citation.cited for citation in citations}) == n_papers


def test_what_comes_from_a_doubtful_match_is_said_to() -> None:
    held = header("a", "Development of a unified protocol for emotional disorders", "Jill Ehrenreich")
    sure = reference("b", 1, held.value("title") or "", "J. Ehrenreich", year="2009")
    doubtful = reference("c", 1, "A unified protocol for emotional disorders", "J. Ehrenreich", pages="3-9")
    own = reference("a", 1, held.value("title") or "", "J. Ehrenreich", volume="7")
    entity = next(each for each in match_all([held, sure, doubtful, own])[0] if each.documents == ("a",))
    assert {"a#ref-1", "b#ref-1", "c#ref-1"} <= set(entity.records)
    assert entity.doubtful == ("pages",)
    assert entity.value("year") == "2009"
    assert entity.value("volume") is None  # what a paper cites of itself is another edition
    assert entity.all("pages")[0].confidence < 0.9


def test_a_paper_that_lists_a_work_twice_has_cited_it_once() -> None:
    entities, citations = match_all(
        [
            header("a", PORTALS, "A. McCallum"),
            reference("a", 1, TREES, "P. Utgoff"),
            reference("a", 2, TREES, "P. Utgoff"),
        ]
    )
    assert len(citations) == 2
    assert by_title(entities, TREES).n_citations == 1


@pytest.mark.parametrize(
    "raw", ["Ibid.", "et al.", "", "12", "[3]", "19xx", "Personal communication.", "Preface, 1999."]
)
def test_ten_thousand_references_that_say_nothing_are_no_paper(raw: str) -> None:
    records = [record(f"d{number}#ref-1", "reference", "", raw=raw) for number in range(300)]
    entities, citations = match_all(records)
    assert len(citations) == 300
    assert max(entity.n_citations for entity in entities) <= 1


def test_many_identical_references_are_one_paper() -> None:
    records = [reference(f"d{number}", 1, TREES, "P. Utgoff", year="1989") for number in range(3000)]
    entities, citations = match_all(records)
    assert Counter(citation.cited for citation in citations).most_common(1)[0][1] == 3000
    assert by_title(entities, TREES).n_citations == 3000


def test_an_address_alone_is_enough_to_go_by() -> None:
    records = [
        record(f"d{n}#ref-1", "reference", "", url="http://example.org/tool/", raw="See our site")
        for n in (1, 2)
    ]
    entities, _ = match_all(records)
    assert max(entity.n_citations for entity in entities) == 2


def test_a_document_without_a_header_still_cites() -> None:
    entities, citations = match_all([reference("a", 1, TREES, "P. Utgoff")])
    citing = next(entity for entity in entities if entity.id == citations[0].citing)
    assert citing.documents == ("a",)
    assert citing.fields == ()


def test_what_the_builder_decided_holds() -> None:
    one, other = reference("a", 1, TREES, "P. Utgoff"), reference("b", 1, TREES, "P. Utgoff")
    far = reference("c", 1, "A survey of garbage collection", "J. Cohen")
    records = [one, other, far, reference("d", 1, TREES, "P. Utgoff")]

    def cited(*verdicts: Verdict) -> dict[str, str]:
        return {c.record: c.cited for c in match_all(records, verdicts=verdicts)[1]}

    free = cited()
    assert free[one.id] == free[other.id] != free[far.id]
    parted = cited(Verdict(one.id, other.id, False))
    assert parted[one.id] != parted[other.id]
    assert parted["d#ref-1"] in (parted[one.id], parted[other.id])
    joined = cited(Verdict(one.id, far.id, True))
    assert joined[one.id] == joined[other.id] == joined[far.id]
    assert cited(Verdict(one.id, RecordId("gone#ref-1"), False)) == free


def test_nothing() -> None:
    assert match_all([]) == ((), ())


RECORDS = st.lists(
    st.builds(
        lambda document, number, title, author, year: reference(document, number, title, author, year=year),
        st.sampled_from("abc"), st.integers(0, 9), st.text(max_size=20), st.text(max_size=10),
        st.sampled_from(["", "1999", "19xx", "２００１"]),
    ),
    max_size=12, unique_by=lambda found: found.id,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(RECORDS)
def test_any_records_give_one_citation_each_to_entities_that_exist(records: list[Record]) -> None:
    entities, citations = match_all(records)
    known = {entity.id for entity in entities}
    assert len(known) == len(entities)
    assert sorted(citation.record for citation in citations) == sorted(found.id for found in records)
    assert all(c.citing in known and c.cited in known and 0 <= c.confidence <= 1 for c in citations)
