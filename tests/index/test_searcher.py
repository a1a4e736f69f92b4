"""A small index on disk answers the way its visitors expect."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portico.errors import ConfigError, PortalError
from portico.index.engine_query import SearchScope
from portico.index.searcher import SORTS, Searcher
from portico.index.writer import update_index, write_index
from portico.types.record import EntityId
from portico.types.search import Entry, Results

PATIENCE_S = 20
LEARNING, LANGUAGE = ("Artificial Intelligence", "Machine Learning"), ("Artificial Intelligence", "NLP")

ENTRIES = (
    Entry(
        EntityId("forest"),
        "Growing decision forests",
        ("Ada Young", "José Nuñez"),
        "We grow many decision trees on random samples and let them vote.",
        "Journal of Trees",
        1996,
        "Introduction. A pruning method is given.",
        (LEARNING,),
        n_citations=3,
        authority=0.1,
        hub=0.9,
    ),
    Entry(
        EntityId("parser"),
        "Parsing with hidden Markov models",
        ("Knuth, Donald",),
        "A hidden Markov model tags words before a chart parser reads the sentence. Trees are built.",
        "Language Workshop",
        1999,
        "",
        (LANGUAGE,),
        n_citations=40,
        authority=0.8,
        hub=0.2,
    ),
    Entry(
        EntityId("survey"),
        "A survey of learning",
        ("Young, Ada",),
        "Neural networks, trees and Markov chains are compared.",
        "",
        None,
        "",
        (LEARNING, LANGUAGE),
        n_citations=12,
        authority=0.3,
        hub=0.3,
    ),
    Entry(EntityId("cited"), "Growing decision forests quickly", ("B. Old",), year=1980, held=False),
)
ENTRIES = (*ENTRIES[:1], replace(ENTRIES[1], cites=(EntityId("forest"), EntityId("cited"))), *ENTRIES[2:])


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder = tmp_path_factory.mktemp("index") / "one"
    assert write_index(ENTRIES, folder) == len(ENTRIES)
    return Searcher(folder)


def found(results: Results) -> list[str]:
    return [hit.entity for hit in results.hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("voting vote", ["forest"]),  # falls back to any word
        ("markov", {"parser", "survey"}),
        ('"hidden markov"', ["parser"]),
        ('"markov hidden"', []),
        ("trees -markov", ["forest"]),
        ("+markov trees", {"parser", "survey"}),
        ("author:knuth", ["parser"]),
        ('author:"Donald Knuth"', ["parser"]),
        ('author:"Ada Young"', {"forest", "survey"}),
        ("author:nunez", ["forest"]),
        ("title:trees", []),
        ("venue:workshop", ["parser"]),
        ("abstract:chart", ["parser"]),
        ("abstract:decision", ["forest"]),  # others have it in their title alone
        ("abstract:dec*", ["forest"]),
        ('abstract:"growing decision"', []),
        ('abstract:"decision trees"', ["forest"]),
        ('"decision fore*"', ["forest", "cited"]),
        ('"journal of trees"', ["forest"]),
        ("knuth chart", ["parser"]),
        ("pruning", ["forest"]),
        ("year:1990..1998", ["forest"]),
        ("year:1999..", ["parser"]),
        ("topic:nlp", {"parser", "survey"}),
        ('topic:"artificial intelligence"', {"forest", "parser", "survey"}),
        ("neur*", ["survey"]),
        ("chart OR neural", {"parser", "survey"}),
        ("zebra", []),
        ("cites:forest", ["parser"]),
        ("CITES:Forest", ["parser"]),
        ("citedby:parser", {"forest", "cited"}),
        ("citedby:parser -growing", []),
        ("citedby:never", []),
        ("cites:", []),
        ("-markov -trees", ["cited"]),
        ("trees -(markov OR chart)", ["forest"]),
        ("trees NOT markov", ["forest"]),
        ("zebra OR (chart parser)", ["parser"]),
        ("(neural OR chart) -hidden", ["survey"]),
        ("title:(parsing OR forests)", {"parser", "forest", "cited"}),
        ("zebra chart year:1999..", ["parser"]),  # words may be left out, what names a field may not
        ("zebra trees year:1900", []),
        ("zebra trees author:nobody", []),
        ("zebra +lion trees", []),
        ("growing decision forests", ["forest", "cited"]),  # the paper itself before the mere citation
    ],
)
def test_what_is_found(searcher: Searcher, query: str, expected: list[str] | set[str]) -> None:
    entities = found(searcher.search(query))
    assert (set(entities) if isinstance(expected, set) else entities) == expected


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("relevance", ["parser", "survey", "forest", "cited"]),
        ("citations", ["parser", "survey", "forest", "cited"]),
        ("date", ["parser", "forest", "cited", "survey"]),
        ("seminal", ["parser", "survey", "forest", "cited"]),
        ("survey", ["forest", "survey", "parser", "cited"]),
        ("title", ["survey", "forest", "cited", "parser"]),
    ],
)
def test_an_empty_query_lists_everything_in_order(searcher: Searcher, sort: str, expected: list[str]) -> None:
    assert found(searcher.search("", sort=sort)) == expected


def test_every_order_can_be_asked_for(searcher: Searcher) -> None:
    assert {searcher.search("trees", sort=sort).total for sort in SORTS} == {3}
    with pytest.raises(ConfigError, match="no order"):
        searcher.search("trees", sort="luck")


def test_a_topic_narrows_with_its_descendants(searcher: Searcher) -> None:
    assert set(found(searcher.search("trees", within=SearchScope(topic="Artificial Intelligence")))) == {
        "forest",
        "parser",
        "survey",
    }
    assert set(found(searcher.search("trees", within=SearchScope(topic="/".join(LEARNING))))) == {
        "forest",
        "survey",
    }
    assert searcher.search("trees", within=SearchScope(topic="Nowhere")).total == 0


def test_authors_and_venues_narrow_by_their_name(searcher: Searcher) -> None:
    assert found(searcher.search("trees", within=SearchScope(author="Ada Young"))) == ["forest"]
    assert found(searcher.search("", within=SearchScope(venue="Language Workshop"))) == ["parser"]
    assert searcher.search("", within=SearchScope(held=True)).total == 3
    facets = dict(searcher.search("trees").facets)
    assert dict(facets["venue"]) == {"Journal of Trees": 1, "Language Workshop": 1}
    assert dict(facets["author"])["Knuth, Donald"] == 1


def test_counts_without_a_search(searcher: Searcher) -> None:
    assert dict(dict(searcher.count(SearchScope(topic="/".join(LANGUAGE))))["year"]) == {"1999": 1}


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("pars", ("parsing",)),
        ("hidden MARK", ("hidden markov",)),
        ("title:grow", ("title:growing",)),
        ("trees Author:kn", ("trees Author:knuth",)),
        ('author:"don', ('author:"donald',)),
        ("title:kn", ()),
        ("nofield:grow", ("nofield:growing",)),
    ],
)
def test_words_are_completed(searcher: Searcher, typed: str, expected: tuple[str, ...]) -> None:
    assert searcher.suggest(typed) == expected


@pytest.mark.parametrize("typed", ["", " ", "parsing ", "zzz", "*", '"', "\ud800", "x" * 9999])
def test_what_cannot_be_completed_is_left_alone(searcher: Searcher, typed: str) -> None:
    assert searcher.suggest(typed) == ()


def test_a_misspelt_query_is_answered_as_it_was_meant(searcher: Searcher) -> None:
    meant, found = searcher.search("decision forests"), searcher.search("decision forrests")
    assert [hit.entity for hit in found.hits] == [hit.entity for hit in meant.hits] != []
    assert (found.suggestion, found.as_typed) == ("decision forests", 'decision "forrests"')
    as_typed = searcher.search(found.as_typed)
    assert (as_typed.suggestion, as_typed.as_typed) == ("", ""), "what is quoted is not corrected"


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("markvo", "markov"),
        ("+Parsng title:decison", "+parsing title:decision"),
        ("titel:decison", "titel:decision"),
        ("topic:larning markvo", "topic:larning markov"),
        ("markov -parsng", ""),
        ("decison*", ""),
        ("zebra", ""),
        ("markov", ""),
    ],
)
def test_a_misspelt_word_gets_a_suggestion(searcher: Searcher, query: str, meant: str) -> None:
    assert searcher.search(query).suggestion == meant


@pytest.mark.parametrize("query", ["trees", "", "author:knuth", "learning OR language"])
def test_facets_are_the_same_whether_the_engine_counts_or_the_page(searcher: Searcher, query: str) -> None:
    """With all that was found at hand the engine is not asked; with one hit of several it is."""
    whole, part = searcher.search(query, limit=100), searcher.search(query, limit=1)
    assert {name: dict(counts) for name, counts in whole.facets} == {
        name: dict(counts) for name, counts in part.facets
    }


def test_facets_count_all_hits(searcher: Searcher) -> None:
    facets = dict(searcher.search("trees", limit=1).facets)
    assert dict(facets["topic"]) == {
        "Artificial Intelligence": 3,
        "/".join(LEARNING): 2,
        "/".join(LANGUAGE): 2,
    }
    assert dict(facets["year"]) == {"1996": 1, "1999": 1}


def test_pages_follow_each_other(searcher: Searcher) -> None:
    pages = [searcher.search("", limit=2, offset=offset) for offset in (0, 2, 4, 10**9)]
    assert [len(page.hits) for page in pages] == [2, 2, 0, 0]
    assert {page.total for page in pages} == {4}


def test_small_words_are_not_required_and_neighbors_come_first(tmp_path: Path) -> None:
    texts = {
        "apart": "A network of sensors with a Bayesian filter and a belief about the state of each.",
        "together": "We learn with a filter and, for the state of sensors, each Bayesian network.",
        "other": "A survey, but not of these.",
    }
    write_index([Entry(EntityId(name), name, abstract=text) for name, text in texts.items()], tmp_path / "i")
    searcher = Searcher(tmp_path / "i")
    assert found(searcher.search("bayesian networks without sensors")) == ["together", "apart"]
    assert searcher.search("bayesian networks without sensors").notice == ""
    assert "some of them" in searcher.search('"without" sensors').notice
    assert {*found(searcher.search("not of"))} == {"other"}


def test_papers_with_some_of_the_words_follow_those_with_all(tmp_path: Path) -> None:
    write_index(
        [
            *[Entry(EntityId(f"both{n}"), "Bayesian networks", year=1990 + n) for n in range(3)],
            *[Entry(EntityId(f"one{n}"), "Neural networks", year=2000 + n) for n in range(120)],
            Entry(EntityId("none"), "Decision trees"),
        ],
        tmp_path / "index",
    )
    searcher = Searcher(tmp_path / "index")
    pages = [
        searcher.search("bayesian networks", limit=20, offset=offset, with_some=True)
        for offset in (0, 20, 80, 100)
    ]
    assert [sum(hit.has_all for hit in page.hits) for page in pages] == [3, 0, 0, 0]
    assert [len(page.hits) for page in pages] == [20, 20, 20, 0]
    assert len({hit.entity for page in pages for hit in page.hits}) == 60
    assert {(page.total, page.n_with_some) for page in pages} == {(3, 97)}
    assert dict(dict(pages[0].facets)["year"]) == {"1990": 1, "1991": 1, "1992": 1}
    for query, sort in (
        ("bayesian networks", "date"),
        ('"bayesian networks"', "relevance"),
        ("+bayesian +networks", "relevance"),
        ("bayesian networks -neural", "relevance"),
        ("bayesian", "relevance"),
    ):
        found = searcher.search(query, sort=sort, limit=20, with_some=True)
        assert (len(found.hits), found.total, found.n_with_some) == (3, 3, 0), query


def test_the_fallback_tells(searcher: Searcher) -> None:
    assert "some of them" in searcher.search("chart zebra").notice
    assert searcher.search("chart parser").notice == ""


def test_marks_point_at_the_words(searcher: Searcher) -> None:
    (hit,) = searcher.search('"hidden markov" chart').hits
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["hidden Markov", "chart"]


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("中文", ["中文"]),
        ("信息检索", ["信息检索"]),
        ("信息检索 SVM", ["信息检索", "SVM"]),
        ("检索信息", None),
        ("author:王", []),
        ("title:かな", []),
    ],
)
def test_scripts_without_blanks_are_found_by_any_part(
    tmp_path: Path, query: str, marked: list[str] | None
) -> None:
    abstract = "中文信息检索的核方法,SVM和かなカナ。"
    write_index([Entry(EntityId("han"), "論文のかな", ("王小明",), abstract)], tmp_path / "one")
    hits = Searcher(tmp_path / "one").search(query).hits
    assert [hit.snippet for hit in hits] == ([abstract] if marked is not None else [])
    assert [hit.snippet[start:end] for hit in hits for start, end in hit.marks] == (marked or [])


def test_papers_of_one_year_are_listed_by_the_day_as_far_as_it_is_known(tmp_path: Path) -> None:
    days = {"spring": 19990412, "year": None, "autumn": 19991101, "older": 19981231, "june": 19990600}
    entries = [
        Entry(EntityId(name), "On", year=1998 if name == "older" else 1999, published=day)
        for name, day in days.items()
    ]
    write_index(entries, tmp_path / "one")
    newest = found(Searcher(tmp_path / "one").search("", sort="date"))
    assert newest == ["autumn", "june", "spring", "year", "older"]


def test_citations_lift_equal_matches(tmp_path: Path) -> None:
    twins = [
        Entry(EntityId(name), "Same words", n_citations=n)
        for name, n in [("few", 1), ("many", 100), ("no", 0)]
    ]
    write_index(twins, tmp_path / "index")
    hits = Searcher(tmp_path / "index").search("same words").hits
    assert [hit.entity for hit in hits] == ["many", "few", "no"]
    assert hits[0].score < 1.3 * hits[-1].score


def test_a_title_counts_more_than_a_mention_and_both_more_than_a_title(tmp_path: Path) -> None:
    usual = "Of what else was done it tells at its usual length. " * 20
    others = [Entry(EntityId(f"other{n}"), "Some title", abstract=usual) for n in range(20)]
    papers = [
        Entry(EntityId("mention"), "Some title", abstract=f"We compare hidden Markov models. {usual}"),
        Entry(EntityId("title"), "Hidden Markov models"),
        Entry(EntityId("both"), "Hidden Markov models", abstract=f"We compare hidden Markov models. {usual}"),
    ]
    write_index([*others, *papers], tmp_path / "index")
    for query in ("hidden markov models", '"hidden markov models"'):
        assert found(Searcher(tmp_path / "index").search(query)) == ["both", "title", "mention"]


def test_papers_of_the_same_subject_are_like_each_other(tmp_path: Path) -> None:
    subjects = ("parsing of sentences", "pruning of trees", "routing of packets")
    papers = [
        Entry(
            EntityId(f"{subject[:5]}{n}"),
            f"On {subject}",
            abstract=f"Paper {n} is about the {subject} again.",
        )
        for subject in subjects
        for n in range(3)
    ]
    cited = Entry(EntityId("cited"), "On parsing of sentences", held=False)
    write_index([*papers, cited], tmp_path / "index")
    searcher = Searcher(tmp_path / "index")
    assert set(found(searcher.similar(EntityId("parsi0"), limit=2))) == {"parsi1", "parsi2"}
    assert found(searcher.similar(EntityId("never"))) == []


@pytest.mark.parametrize(
    "query", ["x " * 500_000, "+a " * 1000, '"', "*", "a* " * 60, "OR " * 999, "year:.." * 99]
)
def test_absurd_queries_get_an_answer(searcher: Searcher, query: str) -> None:
    assert searcher.search(query).total >= 0


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    query=st.text(max_size=80) | st.text(alphabet='ab"*+-:. ORyeart', max_size=40),
    sort=st.sampled_from([*SORTS]),
)
def test_no_query_raises(searcher: Searcher, query: str, sort: str) -> None:
    results = searcher.search(query, sort=sort)
    assert len(results.hits) <= results.total


def test_a_missing_index_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PortalError, match="portico build"):
        Searcher(tmp_path / "nothing")


def test_updates_are_seen_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(ENTRIES, folder)
    searcher = Searcher(folder)
    update_index(folder, [Entry(EntityId("new"), "Zebra crossings")], [EntityId("parser")])
    assert found(searcher.search("zebra")) == ["new"]
    assert found(searcher.search("author:knuth")) == []


def test_what_is_added_is_found_within_a_second_while_others_search(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_index(ENTRIES, folder)
    searcher, done, failed = Searcher(folder), threading.Event(), []

    def visitor() -> None:
        while not done.is_set():
            results = searcher.search("trees parsing OR zebra")
            if len(results.hits) > results.total:
                failed.append(results)

    visitors = [threading.Thread(target=visitor) for _ in range(4)]
    for each in visitors:
        each.start()
    waits = []
    for number in range(3):
        update_index(folder, [Entry(EntityId(f"new{number}"), f"Zebra{number} crossings")])
        written = time.monotonic()
        while not searcher.search(f"zebra{number}").total and time.monotonic() < written + PATIENCE_S:
            pass  # each turn is a search, as a visitor's would be
        waits.append(time.monotonic() - written)
    done.set()
    for each in visitors:
        each.join()
    assert failed == []
    assert min(waits) < 1.0  # the quickest of three: the machine may be busy with other things
    assert max(waits) < PATIENCE_S


def test_shared_references_and_citations_tell_which_papers_are_related(tmp_path: Path) -> None:
    base, classic = EntityId("base"), EntityId("classic")

    def paper(name: str, *cites: EntityId) -> Entry:
        return Entry(EntityId(name), f"Learning to parse {name}", (), "Parsers are learned.", cites=cites)

    entries = [
        paper("one", base, classic), paper("stranger"), paper("coupled", base, classic), paper("together"),
        *[paper(f"citing{idx}", EntityId("one"), EntityId("together")) for idx in range(2)],
        *[Entry(EntityId(f"other{idx}"), f"Rivers {idx}", (), "Water flows.") for idx in range(9)],
    ]  # fmt: skip
    write_index(entries, tmp_path / "index")
    related = found(Searcher(tmp_path / "index").similar(EntityId("one")))
    assert set(related[:2]) == {"coupled", "together"}
    assert "stranger" in related[2:]


def test_affiliations_keywords_and_dois_are_asked_for_by_name(tmp_path: Path) -> None:
    entries = [
        Entry(
            EntityId("one"),
            "Growing trees",
            affiliations=("Freie Universität Berlin", "ETH Zürich"),
            keywords=("decision trees", "pruning"),
            dois=("10.1145/3292500.3330701",),
        ),
        Entry(EntityId("two"), "Pruning in Berlin", dois=("10.1007/bf00116251",)),
    ]
    write_index(entries, tmp_path / "index")
    searcher = Searcher(tmp_path / "index")

    def found(query: str) -> list[str]:
        return [hit.entity for hit in searcher.search(query).hits]

    assert found("affiliation:berlin") == ["one"]
    assert found('institution:"ETH Zürich"') == ["one"]
    assert found("keyword:pruning") == ["one"]
    assert found("doi:10.1145/3292500.3330701") == ["one"]
    assert found("doi:10.1007/BF00116251") == ["two"]
    assert found("doi:10.1145") == ["one"]
