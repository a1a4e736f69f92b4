"""Which tree a portal goes by, as its documents and its builder say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.config.editing import name_topic_tree
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.status import describe_status
from portico.pipeline.topics.tree_choice import (
    INDUCED_FILE,
    choose_tree,
    describe_choice,
    describe_narrowness,
    find_tree,
)
from portico.pipeline.topics.tree_fit import Division, TreeFit
from portico.store.codec import encode
from portico.store.documents.results import Done
from portico.types.document import DocumentId, Span
from portico.types.record import Field, Record, RecordId

PROGRAMS = "A compiler for parallel programs that finds data races in memory and caches by static analysis"
PATIENTS = "Randomised trial of a drug for patients with heart failure and high blood pressure in hospital"
WORDLESS = "Zqx vbn wrt plk mnb jhg dsa qwe uio lkj"


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text('[portal]\ntitle = "Any"\n[[source]]\nfolder = "."\n')
    with open_for_building(tmp_path) as opened:
        yield opened


def add(portal: Portal, *titles: str) -> None:
    for number, title in enumerate(titles, start=len(portal.store.documents.results.digests("extract"))):
        fields = (Field("title", f"{title} {number}", Span(0, 1), 0.9),)
        header = Record(
            RecordId(f"d{number}#header"), "header", DocumentId(f"d{number}"), "", Span(0, 1), fields
        )
        portal.store.documents.results.put_many(
            "extract", [Done(f"d{number}", "key", encode((header,)), 0.0, 0.0)]
        )


@pytest.mark.parametrize(
    ("titles", "name"),
    [
        ((), "computer-science"),
        ((PROGRAMS,) * 5, "computer-science"),
        ((PATIENTS,) * 5, "all-sciences"),
        ((PROGRAMS, PATIENTS, PATIENTS), "all-sciences"),
        ((PROGRAMS, PROGRAMS, PROGRAMS, PATIENTS), "computer-science"),
        ((WORDLESS,) * 3, "all-sciences"),
    ],
)
def test_the_documents_are_looked_at_first(portal: Portal, titles: tuple[str, ...], name: str) -> None:
    add(portal, *titles)
    assert choose_tree(portal).name == name


def test_a_tree_is_left_only_when_many_documents_came(portal: Portal) -> None:
    add(portal, *[PROGRAMS] * 10)
    assert choose_tree(portal).name == "computer-science"
    add(portal, PATIENTS)
    assert choose_tree(portal).n_documents == 10  # not looked at again
    add(portal, *[PATIENTS] * 30)
    assert choose_tree(portal).name == "all-sciences"
    assert find_tree(portal).name == "all-sciences.toml"


FERTILIZERS = ("nitrogen", "phosphorus", "potash", "manure", "compost", "lime")
CROPS = "Grain yield of maize and cowpea crops intercropped with {} on farms"
CLINICS = (
    "Randomised trial of aspirin for patients with coronary heart disease and hypertension",
    "Chemotherapy and radiotherapy of breast cancer and lung tumors in hospital patients",
    "Insulin and obesity of patients with diabetes and other metabolic disease",
    "Depression of patients with stroke, dementia and epilepsy in the clinic",
)


def test_documents_of_one_narrow_subject_get_a_tree_of_their_own(portal: Portal) -> None:
    add(portal, *[CROPS.format(each) for each in FERTILIZERS * 10])
    choice = choose_tree(portal)
    assert choice.name == "induced"
    assert (
        "documents that have a topic in the tree of all sciences are in one, Agriculture › Crops"
        in choice.reason
    )
    assert (portal.places.folder / INDUCED_FILE).is_file()


@pytest.mark.parametrize(
    ("n_in_leaves", "n_in_largest", "is_induced", "told"),
    [
        (80, 20, False, ""),
        (80, 50, False, "50 of the 80 documents that have a topic in the tree are in one, Law › Contracts"),
        (80, 30, True, "30 of the 80 documents that have a topic in the tree are in one, Law › Contracts"),
        (
            22,
            7,
            False,
            "85 of the 90 that are clearly of a field are of one, and only 22 of 100",
        ),
        (50, 7, False, ""),
        (50, 7, True, "85 of the 90 that are clearly of a field are of one, and only 50 of 100"),
    ],
)
def test_a_broad_tree_must_divide_documents_of_one_field(
    n_in_leaves: int, n_in_largest: int, is_induced: bool, told: str
) -> None:
    fit = TreeFit(n_documents=100, n_judged=100, n_inside=0, n_sure=90, n_largest_field=85)
    divided = Division(100, n_in_leaves, n_in_largest, ("Law", "Contracts"))
    found = describe_narrowness(fit, divided, "the tree", is_induced=is_induced)
    assert found.startswith(told)
    assert bool(found) == bool(told)


def test_documents_of_one_broad_field_do_not(portal: Portal) -> None:
    add(portal, *CLINICS * 15)
    assert choose_tree(portal).name == "all-sciences"


def test_the_choice_is_told_with_its_reason_and_remedy(portal: Portal) -> None:
    add(portal, *[PATIENTS] * 4)
    choose_tree(portal)
    told = describe_choice(portal)
    assert "the tree of all sciences, because 0 of the 4 documents with enough text fit" in told
    assert "portico topics use TREE" in told
    assert told in "\n".join(describe_status(portal))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[portal]\n", '[portal]\n\n[topics]\ntree = "all-sciences"\n'),
        ('[topics]\ntree = "auto"\n', '[topics]\ntree = "all-sciences"\n'),
        ('[topics]\nfile = "t.toml"\n', '[topics]\ntree = "all-sciences"\n# file = "t.toml"\n'),
    ],
)
def test_a_tree_is_named_in_portal_toml(before: str, after: str) -> None:
    assert name_topic_tree(before, "all-sciences") == after


def test_a_named_tree_goes_before_what_documents_say(tmp_path: Path) -> None:
    settings = '[portal]\ntitle = "Any"\n[[source]]\nfolder = "."\n[topics]\ntree = "induced"\n'
    (tmp_path / "portal.toml").write_text(settings)
    with open_for_building(tmp_path) as portal:
        add(portal, *[PROGRAMS, PATIENTS] * 10)
        assert choose_tree(portal).name == "induced"
        assert find_tree(portal) == tmp_path / INDUCED_FILE
        made = find_tree(portal).read_text()
        assert choose_tree(portal).name == "induced"
        assert find_tree(portal).read_text() == made
