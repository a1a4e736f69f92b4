"""Lines of citation as journals print them: which venue, volume, number, pages and year."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.domains.papers.citation_lines import CitationLine, Printed, read_citation_lines
from portico.domains.papers.journals import (
    Journal,
    JournalList,
    is_journal,
    journal_key,
    load_journals,
    pack_journals,
)

Row = tuple[str, str | None, str | None, str | None, str | None, str | None]

LINES: list[Row] = [
    ("Cognition 100 (2006) 73–99", "Cognition", "2006", "100", None, "73-99"),
    ("Child Development, 1993, 64, 298-308.", "Child Development", "1993", "64", None, "298-308"),
    ("Gudina et al. BMC Endocrine Disorders 2011, 11:19", "BMC Endocrine Disorders", "2011", "11", None,
     "19"),
    ("Biostatistics (2008), 9, 2, pp. 234-248", "Biostatistics", "2008", "9", "2", "234-248"),
    ("Rheumatology 2001;40:492±498", "Rheumatology", "2001", "40", None, "492-498"),
    ("World J Gastroenterol 2017 May 21; 23(19): 3418-3426", "World J Gastroenterol", "2017", "23", "19",
     "3418-3426"),
    ("Cell Death and Differentiation (2011) 18, 1944-1947", "Cell Death and Differentiation", "2011", "18",
     None, "1944-1947"),
    ("78 A. Bell, C. Dorn / Cognition 100 (2006) 73–99", "Cognition", "2006", "100", None, "73-99"),
    ("Journal of Hydrology, 520, 52-60, 2015", "Journal of Hydrology", "2015", "520", None, "52-60"),
    ("758 PEDIATRICS, VOL. 7, NO. 5, OCTOBER 1997", "PEDIATRICS", "1997", "7", "5", None),
    ("1 June 2011 / Vol. 2, No. 6 / BIOMEDICAL OPTICS EXPRESS", "BIOMEDICAL OPTICS EXPRESS", "2011", "2", "6",
     None),
    ("Chaos 119, 044802 (2017)", "Chaos", "2017", "119", None, "044802"),
    ("Ancient Science of Life, Vol No. XV No.1 July 1995, Pages 53-61", "Ancient Science of Life", "1995",
     "XV",
     "1", "53-61"),
    ("Monatsheft Nordland 4/2012 Soziales", "Monatsheft Nordland", "2012", None, "4", None),
    ("HYDROBIOL. BULL. 25(2), 121-124 (1991)", "HYDROBIOL. BULL", "1991", "25", "2", "121-124"),
    ("Physics Letters B 72, 1989 (2005)", "Physics Letters B", "2005", "72", None, "1989"),
    ("Vol 438|3 November 2005|", None, "2005", "438", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "venue", "year", "volume", "number", "pages"), LINES)
def test_citation_lines(
    line: str, venue: str | None, year: str | None, volume: str | None, number: str | None, pages: str | None
) -> None:
    (found,) = read_citation_lines(line)
    told = [_value(one) for one in (found.venue, found.year, found.volume, found.number, found.pages)]
    assert told == [venue, year, volume, number, pages]


def _value(printed: Printed | None) -> str | None:
    return printed.value if printed else None


@pytest.mark.parametrize(
    "line",
    ["(Received 13 April 2016; published 21 July 2016)", "Reichpietschufer 50, 10785 Berlin",
     "PACS: 71.20.Eh",
     "ACM ISBN 978-1-4503-8446-9/21/11.", "Tucson, Arizona, June 7–13, 2008", "3", ""],
)  # fmt: skip
def test_no_citation(line: str) -> None:
    assert not [one for one in read_citation_lines(line) if one.venue]


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*"(),;:-–/|.", "Vol.", "2001", "12", "J.", "pp", "May", "et al. "])).map(
        "".join
    )
)
def test_every_value_stands_where_it_says(line: str) -> None:
    for cited in read_citation_lines(line):
        for printed in _all_of(cited):
            assert 0 <= printed.start < printed.end <= len(line)


def _all_of(cited: CitationLine) -> list[Printed]:
    return [one for one in (cited.venue, cited.year, cited.volume, cited.number, cited.pages) if one]


@pytest.mark.parametrize(
    ("printed", "name"),
    [("P H Y S I C A L R E V I E W L E T T E R S", "physicalreviewletters"), ("Zeitschrift für Physik", ""),
     ("The Journal of Biological Chemistry", "journalofbiologicalchemistry"), ("J. Biol. Chem.",
      "jbiolchem")],
)  # fmt: skip
def test_journal_names(printed: str, name: str) -> None:
    key = journal_key(printed)
    assert key == (name or "zeitschriftfurphysik")
    assert bool(name) <= is_journal(printed)


def test_journals_by_issn() -> None:
    assert load_journals().find_by_issn("0010-0277") == "Cognition"


def test_packed_journals_are_found_by_all_their_names() -> None:
    packed = pack_journals(
        [
            Journal("Acta : a yearbook of trees", ("Act. Tr.",), ("1234-5678",)),
            Journal("Trees", ("Act. Tr.",), ("1234-5678",)),
            *(Journal(f"Annals no. {number}") for number in range(200)),
        ]
    )
    journals = JournalList(packed)
    assert journals.find_name("acttr") == "Acta : a yearbook of trees"  # the first of two
    assert journals.find_by_issn("1234-5678") == "Trees"  # the last of two
    assert [journals.find_name(journal_key(f"Annals no. {number}")) for number in (0, 64, 199)] == [
        "Annals no. 0", "Annals no. 64", "Annals no. 199"
    ]  # fmt: skip
    assert journals.find_name("annals") is journals.find_by_issn("0010-0277") is None
    assert len(list(journals.all())) == 202
