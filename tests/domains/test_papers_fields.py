"""Labelled passages become the values a reader would write down."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.domains.papers import PAPERS
from portico.domains.papers.author_names import (
    is_one_author,
    read_author_line,
    read_names,
    read_names_first,
)
from portico.domains.papers.fields import (
    continues_title,
    names_others,
    read_abstract,
    read_affiliation,
    read_cited_title,
    read_cited_year,
    read_emails,
    read_journal,
    read_keywords,
    read_pages,
    read_publisher,
    read_title,
    read_venue,
    read_whole,
    read_year,
    stands_beside_title,
)
from portico.types.domain import ANY, Reader


def values(reader: Reader, passage: str) -> list[str]:
    return [reading.value for reading in reader(passage)]


@pytest.mark.parametrize(
    ("reader", "passage", "expected"),
    [
        (read_title, "“On the Speed of Sound,”", ["On the Speed of Sound"]),
        (read_title, "On the Speed of Sound*", ["On the Speed of Sound"]),
        (read_title, "Why Does Sound Travel?", ["Why Does Sound Travel?"]),
        (read_title, "Plan 9", ["Plan 9"]),
        (read_title, "3 ON SOUND", ["ON SOUND"]),
        (read_title, " ., ", []),
        (read_abstract, "Abstract We show.", ["We show."]),
        (read_abstract, "ABSTRACT. We show.", ["We show."]),
        (read_abstract, "Abstract—We show.", ["We show."]),
        (read_abstract, "We show an abstract.", ["We show an abstract."]),
        (read_abstract, "Scope – We tell why. Abstract – We show.", ["We show."]),
        (read_abstract, "We show. Abstract models help.", ["We show. Abstract models help."]),
        (read_whole, "Southfield College, {", ["Southfield College"]),
        (read_keywords, "Keywords: sound, light; air.", ["sound", "light", "air"]),
        (read_keywords, "Index Terms—sound, light", ["sound", "light"]),
        (read_year, "(1996, revised May 1997).", ["1997"]),
        (read_year, "in press", []),
        (read_cited_year, "(1986 [1934]).", ["1986"]),
        (read_cited_year, "2–6 July.", []),
        (read_cited_title, "Global Tourism [online]. Available from", ["Global Tourism"]),
        (read_cited_title, "Two Dimensions: East // Security Dialogue.", ["Two Dimensions: East"]),
        (read_cited_title, "Jupyter Book (Version v0.10.0).", ["Jupyter Book"]),
        (read_cited_title, "Childhood and Society, 2nd edn.", ["Childhood and Society"]),
        (read_cited_title, "Sounds of the 3rd Edition Wars.", ["Sounds of the 3rd Edition Wars"]),
        (read_cited_title, "// Comments //", ["// Comments //"]),
        (read_year, "pages 119900", []),
        (read_venue, "In Proceedings of the Workshop on Edges,", ["Proceedings of the Workshop on Edges"]),
        (read_venue, "In: Informatik aktuell.", ["Informatik aktuell"]),
        (read_venue, "Intelligent Systems,", ["Intelligent Systems"]),
        (read_pages, "pp. 12–19.", ["12-19"]),
        (read_pages, "pages 7 -- 9", ["7-9"]),
        (read_pages, "page 5", ["5"]),
        (read_emails, "{ann,bob}@example.org", ["{ann,bob}@example.org"]),
        (read_emails, "no address", []),
        (read_emails, "{ann@a.test, bob@b.test}", ["ann@a.test", "bob@b.test"]),
        (read_emails, "{ ann, bob }@a.test; eva@b.test", ["{ ann, bob }@a.test", "eva@b.test"]),
        (read_emails, "ann @ a.test | bob@b.test", ["ann @ a.test", "bob@b.test"]),
        (read_names, "Ann Bell, Carl Dorn and Eva Fox", ["Ann Bell", "Carl Dorn", "Eva Fox"]),
        (read_names, "Ann Bell1,2 and Carl Dorn∗", ["Ann Bell", "Carl Dorn"]),
        (read_names, "Ann Bell 1 , Carl Dorn 2", ["Ann Bell", "Carl Dorn"]),
        (read_names, "Ann Bell\nCarl Dorn", ["Ann Bell", "Carl Dorn"]),
        (
            read_names,
            "Ann Bell, Carl Dorn,\nEva Fox and\nGert Hall",
            ["Ann Bell", "Carl Dorn", "Eva Fox", "Gert Hall"],
        ),
        (read_names, "Michael Bell David Dorn", ["Michael Bell", "David Dorn"]),
        (read_names, "Bell, A., & Dorn, C. D.", ["Bell, A.", "Dorn, C. D."]),
        (read_names, "Bell, A., Dorn, C. D.:", ["Bell, A.", "Dorn, C. D."]),
        (read_names, "Ann Bell 1 , Carl\nDorn 2 , Eva van\nFox 3", ["Ann Bell", "Carl Dorn", "Eva van Fox"]),
        (read_author_line, "Ann Bell\n• Review", ["Ann Bell"]),
        (read_author_line, "Software", []),
        (read_author_line, "Rabiner", ["Rabiner"]),
        (read_author_line, "Ann Bell\nToyota", ["Ann Bell"]),
        (read_author_line, "Ann Bell\n12 Long Road", ["Ann Bell"]),
        (read_author_line, "by Ann Bell and Carl Dorn", ["Ann Bell", "Carl Dorn"]),
        (read_author_line, "Ann Bell · Carl Dorn", ["Ann Bell", "Carl Dorn"]),
        (read_author_line, "Ann Bell, Member, IEEE, and Carl Dorn,\nFellow, IEEE", ["Ann Bell", "Carl Dorn"]),
        (read_author_line, "Ann Bell, Senior Member, IEEE", ["Ann Bell"]),
        (
            read_author_line,
            "Ann Bell, PhD, Carl Dorn, MD and Eva Fox ID",
            ["Ann Bell", "Carl Dorn", "Eva Fox"],
        ),
        (read_author_line, "Dr. Ann Bell", ["Ann Bell"]),
        (read_names, "Bell MD, Dorn RN", ["Bell MD", "Dorn RN"]),
        (read_title, "ABSTRACT Market Structure in Trade", ["Market Structure in Trade"]),
        (read_title, "Abstract Interpretation of Programs", ["Abstract Interpretation of Programs"]),
        (read_title, "THE SPEED OF SOUND 1 The Speed of Sound", ["The Speed of Sound"]),
        (read_title, "La vitesse du son par", ["La vitesse du son"]),
        (read_title, "ABSTRACT STATE MACHINES", ["ABSTRACT STATE MACHINES"]),
        (read_author_line, "Associate Professor Ann Bell", ["Ann Bell"]),
        (read_author_line, "Ann Bell, Independent Scholar", ["Ann Bell"]),
        (read_author_line, "Ann Bell¹, Carl Dorn²,³ and Eva Fox¹", ["Ann Bell", "Carl Dorn", "Eva Fox"]),
        (read_author_line, "Ann Bell1;2, Carl Dorn2", ["Ann Bell", "Carl Dorn"]),
        (read_author_line, "Ann Bella, Carl Dorn a,b", ["Ann Bella", "Carl Dorn"]),
        (read_author_line, "Ann M. Bell† and\nCarl Dorn‡", ["Ann M. Bell", "Carl Dorn"]),
        (read_author_line, "Ann Bell and\nCarl Dorn and\nEva Fox", ["Ann Bell", "Carl Dorn", "Eva Fox"]),
        (read_author_line, "Ann van der Berg, Carl de la Fox", ["Ann van der Berg", "Carl de la Fox"]),
        (read_author_line, "W. Mark Bell, Jr. and Carl Dorn III", ["W. Mark Bell, Jr.", "Carl Dorn III"]),
        (read_author_line, "A.B.C. Bell & J.-P. O’Dorn", ["A.B.C. Bell", "J.-P. O’Dorn"]),
        (read_author_line, "ANN BELL AND CARL DORN", ["ANN BELL", "CARL DORN"]),
        (read_names_first, "EVA BELL, University of Northfield, UK", ["EVA BELL"]),
        (read_names_first, "EVA N. K. BELL Southfield College", ["EVA N. K. BELL"]),
        (read_names_first, "EVA BELL and MARK DORN, Southfield", ["EVA BELL", "MARK DORN"]),
        (read_names_first, "Southfield\nMARK DORN, Northfield", ["MARK DORN"]),
        (read_names_first, "EVA WU, Northfield\nGIEE EE Dept., Southfield", ["EVA WU"]),
        (read_names_first, "Mark Dorn, Northfield Labs\nEva Fox, Southfield", ["Mark Dorn", "Eva Fox"]),
        (
            read_names_first,
            "EVA FOX, Northfield\nM. EVA BELL, Southfield College",
            ["EVA FOX", "M. EVA BELL"],
        ),
        (read_names_first, "EVA FOX, CNRS, Southfield", ["EVA FOX"]),
        (
            read_names_first,
            "E. Fox, University of Northfield\nC. van den Dorn, Bell Institute, Southfield",
            ["E. Fox", "C. van den Dorn"],
        ),
        (read_names_first, "J. Dorn, Room 3, Southfield", []),
        (read_author_line, "Eva Bell\nWirtschaftsuniversität Northfield", ["Eva Bell"]),
        (read_author_line, "Eva Bell\nWU Wirtschafts-", ["Eva Bell"]),
        (read_author_line, "Eva Bell\nSouthfield Project", ["Eva Bell"]),
        (read_author_line, "Project Oak, Eva Bell, Carl Dorn", ["Project Oak", "Eva Bell", "Carl Dorn"]),
        (read_names_first, "George Mason University, Fairfax", []),
        (read_names_first, "Northfield College, Southfield", []),
        (read_affiliation, "Mark Dorn, Northfield Labs", ["Northfield Labs"]),
        (read_author_line, "Russ Bell, MIT LCS", ["Russ Bell"]),
        (read_names_first, "IBM ALMADEN Research Center", []),
        (read_names_first, "UNIVERSITY OF NORTHFIELD", []),
        (read_affiliation, "EVA BELL, University of Northfield", ["University of Northfield"]),
        (read_affiliation, "IBM ALMADEN Research Center", ["IBM ALMADEN Research Center"]),
        (read_affiliation, "Southfield College, {", ["Southfield College"]),
        (
            read_affiliation,
            "1Graduate Institute of Electronics Engineering, National Taiwan University",
            ["Graduate Institute of Electronics Engineering, National Taiwan University"],
        ),
        (read_affiliation, "3NAI Labs, Network Associates Inc", ["NAI Labs, Network Associates Inc"]),
        (
            read_affiliation,
            "1 UC San Diego, Neurobiology 2 UC San Diego, Cognitive Science",
            ["UC San Diego, Neurobiology", "UC San Diego, Cognitive Science"],
        ),
        (
            read_affiliation,
            "4 DeepMind 5 University of Pretoria\n6 Simula",
            ["DeepMind", "University of Pretoria", "Simula"],
        ),
        (read_affiliation, "* Lomonosov Moscow State University", ["Lomonosov Moscow State University"]),
        (read_affiliation, "∗ Mark Dorn, Northfield Labs", ["Northfield Labs"]),
        (read_affiliation, "3M Company", ["3M Company"]),
        (read_affiliation, "5G Lab Germany", ["5G Lab Germany"]),
        (read_affiliation, "3Com Corporation", ["3Com Corporation"]),
        (read_affiliation, "1st Department of Surgery", ["1st Department of Surgery"]),
        (
            read_affiliation,
            "Physics, Building 2 University of Idaho",
            ["Physics, Building 2 University of Idaho"],
        ),
        (read_abstract, "We show. CCS Concepts: • Theory → Types.", ["We show."]),
        (read_abstract, "We show. Key words: sound, light", ["We show."]),
        (read_abstract, "We show keywords: sound.", ["We show keywords: sound."]),
        (read_keywords, "General Terms Algorithms Keywords sound, light", ["Algorithms", "sound", "light"]),
        (read_keywords, "Keywords: sound, light NOMENCLATURE", ["sound", "light"]),
        (read_keywords, "Keywords: ISO 9000, DNA", ["ISO 9000", "DNA"]),
        (read_keywords, "Key Words: trade JEL Classification: C51, F15", ["trade", "C51", "F15"]),
        (read_abstract, "Contents 1 Introduction 2 2 Methods 5", []),
        (read_abstract, "Nutzungsbedingungen: Dieser Text wird unter einer Lizenz gezeigt.", []),
        (read_abstract, "We show. Table of Contents", ["We show."]),
        (read_abstract, "We show. " * 1_000, [("We show. " * 388).strip()]),
        (read_names, "12345", []),
    ],
)
def test_reading(reader: Reader, passage: str, expected: list[str]) -> None:
    assert values(reader, passage) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("Ann Bell", "ANN BELL", True),
        ("Tracey J. Elder", "Tracey Elder", True),
        ("Jie-Hong R. Jiang", "J.-H. R. Jiang", True),
        ("Xiaoming Wang", "Xiaohui Wang", False),
        ("Ann Bell", "Carl Bell", False),
        ("Ann Bell", "Ann Dorn", False),
    ],
)
def test_one_author_named_twice(one: str, other: str, expected: bool) -> None:
    assert is_one_author(one, other) is expected


@given(
    st.text(max_size=80),
    st.sampled_from(sorted({rule.read for kind in PAPERS.kinds for rule in kind.rules}, key=repr)),
)
def test_readings_stand_in_their_passage(passage: str, reader: Reader) -> None:
    for reading in reader(passage):
        assert reading.value.strip()
        assert 0 <= reading.start < reading.end <= len(passage)


@pytest.mark.parametrize("unit", ["a", "a.", "a b ", "1, ", "Ann Bell, "])
def test_long_passages_are_read(unit: str) -> None:
    """A reader that tried every beginning again would not come back from these."""
    passage = unit * (30_000 // len(unit))
    for rule in (rule for kind in PAPERS.kinds for rule in kind.rules):
        assert all(reading.end <= len(passage) for reading in rule.read(passage))


def test_every_rule_has_a_label_of_its_kind() -> None:
    for kind in PAPERS.kinds:
        assert {rule.label for rule in kind.rules} - {ANY} <= set(kind.labels)


def test_models_are_shipped_with_their_cards() -> None:
    names = [*(kind.model for kind in PAPERS.kinds), PAPERS.splitting, PAPERS.zones, PAPERS.calibration]
    for name in names:
        assert 0 < (PAPERS.models / name).stat().st_size < 8_000_000
        assert (PAPERS.models / name).with_suffix(".md").read_text().startswith("# ")


def test_the_summary_of_a_report_stands_behind_its_contents() -> None:
    printed = "Contents 1 Introduction 2 2 Methods 3 Executive summary We measure trees."
    assert [reading.value for reading in read_abstract(printed)] == ["We measure trees."]
    assert not read_abstract("The views expressed herein are those of the authors.")


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("We thank Ann Bell and Carl Dorn for a fast proof.", True),
        ("and two anonymous referees are\ngratefully acknowledged.", True),
        ("Co Chairs, Advisory Committee: Ann Bell and Carl Dorn", True),
        ("D.-Z. Du and P.M. Pardalos (Eds.) pp. 1-9", True),
        ("Ann Bell and Carl Dorn\nDepartment of Physics, Northfield", False),
        ("Thanksgiving Institute, Ann Bell", False),
        ("Editorial Research Group, Ann Bell", False),
        ("Supervisor: Prof. Eva Dorn", True),
        ("Erstgutachterin: Prof. Dr. Eva Dorn", True),
        ("Ann Bell, Institute for Advisory Systems", False),
    ],
)
def test_paragraphs_that_name_others(paragraph: str, expected: bool) -> None:
    assert names_others(paragraph) is expected


@pytest.mark.parametrize(
    ("paragraph", "expected"),
    [
        ("FS I 01 - 301", True),
        ("P 01-702", True),
        ("Working Paper 2/2008", True),
        ("Discussion Paper No. 12", True),
        ("Prevalence of venous…", True),
        ("FORUM: QUALITATIVE\nSOCIAL RESEARCH\nSOZIALFORSCHUNG", True),
        ("Journal of Biological Chemistry", True),
        ("Cognition", False),  # one word may be any title
        ("The Journal of Biological Chemistry as a Mirror of Its Time and of Its Readers", False),
        ("1984", True),
        ("COVID-19 in Prisons", False),
        ("Sounds in Old Trees", False),
    ],
)
def test_what_stands_beside_a_title(paragraph: str, expected: bool) -> None:
    assert stands_beside_title(paragraph) is expected


def test_an_abstract_loses_its_heading_in_any_language() -> None:
    for heading in ("Resumo. ", "Resumen ", "Samenvatting: ", "Sommario – "):
        assert [one.value for one in read_abstract(f"{heading}Lo que sigue.")] == ["Lo que sigue."]


def test_leaders_of_a_table_of_contents_are_no_abstract() -> None:
    assert read_abstract("1.1 General Usage . . . . . . . . . 1 1.2 Front Matter . . . . . 2") == ()


@pytest.mark.parametrize(
    ("read", "printed", "value"),
    [
        (read_publisher, "Oxford University Press)", "Oxford University Press"),
        (read_publisher, "(Springer", "Springer"),
        (read_publisher, "Wiley (Chichester)", "Wiley (Chichester)"),
        (read_journal, "In: American Journal of Sociology, Jg.", "American Journal of Sociology"),
        (read_journal, "Ageing and Society, Nr", "Ageing and Society"),
        (read_journal, "Journal of Web Studies, retrieved from", "Journal of Web Studies"),
        (read_journal, "In Vitro", "In Vitro"),
        (read_venue, "In Journal of Webs, available online at", "Journal of Webs"),
    ],
)
def test_rests_of_other_parts_are_left_out(read: Reader, printed: str, value: str) -> None:
    assert [reading.value for reading in read(printed)] == [value]


@pytest.mark.parametrize(
    ("title", "rest", "expected"),
    [
        ("The Conscious Mind:", "In Search of a Fundamental Theory. Oxford University Press.", True),
        ("", "In the Theater of Consciousness. Oxford University Press.", True),
        ("Conscious minds.", "In the Theater of Consciousness. Oxford University Press.", False),
        ("Conscious minds:", "In the Theater of Consciousness (ed. A. Bell). Oxford.", False),
        ("Conscious minds:", "In the Proceedings of Minds. Oxford.", False),
    ],
)
def test_titles_that_begin_with_in(title: str, rest: str, *, expected: bool) -> None:
    assert continues_title(title, rest) is expected
