"""What heads, feet, stamps, covers and embedded metadata tell of a paper's publication."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.domains.papers.publication import read_notice
from portico.domains.papers.publication_identifiers import is_issn
from portico.types.domain import Notice, Place

EDGE, FRONT, SIDEWAYS, EMBEDDED = Place.EDGE, Place.FRONT, Place.SIDEWAYS, Place.EMBEDDED


@pytest.mark.parametrize(
    ("text", "place", "name", "field", "value"),
    [
        ("J. Xu et al. (Eds.): DASFAA Workshops 2011, LNCS 6637, pp. 403–414, 2011.", EDGE, "", "venue",
         "DASFAA Workshops 2011, LNCS 6637"),
        ("P. Moor (ed.), Music and Game, DOI 10.1007/978-3-531-18913-0_11,", EDGE, "", "venue",
         "Music and Game"),
        ("PLDI’08, June 7–13, 2008, Tucson, Arizona, USA.", EDGE, "", "venue", "PLDI’08"),
        ("ISMIR 2008 – Session 1b – Melody", Place.REPEATED, "", "year", "2008"),
        ("IZA DP No. 6969", FRONT, "", "venue", "IZA DP"),
        ("www.pnas.org/lookup/suppl/doi:10.1073/pnas.1124123478/-/DCSup", FRONT, "", "doi",
         "10.1073/pnas.1124123478"),
        ("Article electronically published on May 2, 1999", EDGE, "", "year", "1999"),
        ("TBM 2011;1:110-122", EDGE, "", "venue", "TBM"),
        ("Mosquito News, 78. Jg., Heft 6, 2018, S. 21-43", EDGE, "", "volume", "78"),
        ("Journal of Old Woods", Place.REPEATED, "", "venue", "Journal of Old Woods"),
        ("Bosch and van den Dorn BMC Public Health (2015) 15:1232", EDGE, "", "venue", "BMC Public Health"),
        ("ROBERT-LOUIS BROSSARD. Can. J. Chem. 61, 2022 (1983).", FRONT, "", "venue", "Can. J. Chem"),
        ("ª 2014 The Authors. Trees and Bushes", EDGE, "", "year", "2014"),
        ("Frontiers in Psychology | www.frontiersin.org October 2015 | Volume 6 | Article 254", EDGE, "",
         "volume", "6"),
        ("WZB Discussion Paper", EDGE, "", "venue", "WZB Discussion Paper"),
        ("ZUMA Methodenbericht 2005/08", EDGE, "", "venue", "ZUMA Methodenbericht"),
        ("Working Paper Series of the Research Network 1989 Working Paper 2/2008", EDGE, "", "venue",
         "Working Paper Series of the Research Network 1989"),
        ("Working Paper 2/2008", FRONT, "", "year", "2008"),
        ("Historical Social Research, Vol. 31 — 2006 — No. 3, 72-89", EDGE, "", "venue",
         "Historical Social Research"),
        ("Ivanov, D.: A Ranking of Seas. In: Baltic Region (2014), 2, pp. 22-34.", Place.COVER, "", "venue",
         "Baltic Region"),
        ("SCIENCE ADVANCES | RESEARCH ARTICLE", Place.REPEATED, "", "venue", "SCIENCE ADVANCES"),
        ("16 C O M P L E X I T Y", Place.REPEATED, "", "venue", "Complexity"),
        ("0010-0277/$ - see front matter", EDGE, "", "venue", "Cognition"),
        ("© 1996 John Wiley & Sons, Inc.", EDGE, "", "year", "1996"),
        ("© 1996 John Wiley & Sons, Inc.", EDGE, "", "publisher", "John Wiley & Sons"),
        ("Received 2 May 2008; accepted 3 June 2008; published 1 March 2009", FRONT, "", "year", "2009"),
        ("doi:10.1016/j.cognition.2005.11.006", EDGE, "", "doi", "10.1016/j.cognition.2005.11.006"),
        ("https://doi.org/10.1371/journal. pone.0210169", FRONT, "", "doi", "10.1371/journal.pone.0210169"),
        ("doi: https://doi.org/10.1101/2020.04.11.20061143.this version posted April 17, 2020.", EDGE, "",
         "doi",
         "10.1101/2020.04.11.20061143"),
        ("arXiv:0801.3623v1 [hep-ex] 23 Jan 2008", SIDEWAYS, "", "arxiv", "0801.3623"),
        ("arXiv:0801.3623v1 [hep-ex] 23 Jan 2008", SIDEWAYS, "", "year", "2008"),
        ("hep-ph/9412269 09 Dec 94", SIDEWAYS, "", "year", "1994"),
        ("BMC Evolutionary Biology 2011, 11:313. doi:10.1186/1471-2148-11-313", EMBEDDED, "info:subject",
         "doi",
         "10.1186/1471-2148-11-313"),
        ("BMC Evolutionary Biology 2011, 11:313.", EMBEDDED, "info:subject", "venue",
         "BMC Evolutionary Biology"),
        ("10.1002/1522-2632(200101)86:1<77::AID-IROH77>3.0.CO;2-7", EMBEDDED, "info:wps-articledoi", "doi",
         "10.1002/1522-2632(200101)86:1<77::aid-iroh77>3.0.co;2-7"),
        ("Biochimie Open", EMBEDDED, "xmp:publicationname", "venue", "Biochimie Open"),
        ("arXiv:cond-mat/0007013v1 [cond-mat.supr-con] 2 Jul 2000", SIDEWAYS, "", "year", "2000"),
        ("Proceedings of CoNLL-2000 and LLL-2000, pages 154-156, Lisbon, Portugal, 2001.", FRONT, "", "year",
         "2001"),
        ("J. CHEM. SOC., CHEM. COMMUN., 1989", EDGE, "", "venue", "J. CHEM. SOC., CHEM. COMMUN"),
        ("J. CHEM. SOC., CHEM. COMMUN., 1989", EDGE, "", "year", "1989"),
        ("iScience 23, 101839, December 18, 2020", EDGE, "", "venue", "iScience"),
        ("CLINICAL ARTICLE Korean J Neurotrauma 2014;10(2):106-111", EDGE, "", "venue",
         "Korean J Neurotrauma"),
        ("Case Reports in Gastrointestinal Medicine Volume 2017, Article ID 5278971", EDGE, "", "venue",
         "Case Reports in Gastrointestinal Medicine"),
        ("NBER WORKING PAPER SERIES", FRONT, "", "venue", "NBER WORKING PAPER SERIES"),
        ("Fox, E. and Bell, A. (2002) Sounds in Old Trees. Tree Letters, 47 (3).", Place.COVER, "", "year",
         "2002"),
        ("Leipzig, 11. November 2008", FRONT, "", "year", "2008"),
        ("June 1998 Technical Report TR-76-12", FRONT, "", "year", "1998"),
        ("for the degree of Doctor of Philosophy, 1997", FRONT, "", "year", "1997"),
        ("April 26-30 2014. c 2014 Association for Computational Linguistics", EDGE, "", "year", "2014"),
        ("doi: 10.1839/annals.8511116https://www.example.org/xyz", EDGE, "", "doi", "10.1839/annals.8511116"),
        ("ISBN 978-3-531-18913-0", EDGE, "", "isbn", "978-3-531-18913-0"),
    ],
)  # fmt: skip
def test_notices(text: str, place: Place, name: str, field: str, value: str) -> None:
    told = [one for one in read_notice(Notice(text, place, name)) if one.field == field]
    assert max(told, key=lambda one: one.chance).value == value


@pytest.mark.parametrize(
    ("text", "place", "field"),
    [
        ("1) H. CASIMIR and D. POLDER. Phys. Rev., 73, 360 (1948).", EDGE, "venue"),  # a footnote's reference
        ("Data are available from Dryad, doi:10.5061/dryad.x", FRONT, "doi"),
        ("TECHNICAL REPORT NO. 65", EDGE, "venue"),
        ("Proceedings Paper: Fox, Eva and Bell, Ann", Place.COVER, "venue"),
        ("ISSN 2036 – 4989", EDGE, "venue"),
        ("MAY 2023", EDGE, "venue"),
        ("Proceedings Trim Size: 9in x 6in jlab", FRONT, "venue"),
        ("Microsoft Word - 02. 206.doc", EMBEDDED, "venue"),
    ],
)
def test_not_told(text: str, place: Place, field: str) -> None:
    assert field not in {one.field for one in read_notice(Notice(text, place, "info:title"))}


@pytest.mark.parametrize(
    ("number", "is_right"), [("0010-0277", True), ("0010-0278", False), ("1612-3468", True)]
)
def test_check_digit(number: str, is_right: bool) -> None:
    assert is_issn(number) == is_right


@given(st.text(max_size=60), st.sampled_from(list(Place)), st.sampled_from(["", "xmp:doi", "info:subject"]))
def test_evidence_has_its_place_and_a_probability(text: str, place: Place, name: str) -> None:
    for one in read_notice(Notice(text, place, name)):
        assert one.value
        assert 0 < one.chance < 1
        assert 0 <= one.start <= one.end <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Weiss, G. (1995) ‘Abortion: A Relational Approach’, Hypatia 12(3): 4–9.",  # a reference
        "Chart of Archive and Report Delivery 1996–2003",  # years are no pages
    ],
)
def test_lines_that_tell_no_publication(text: str) -> None:
    found = read_notice(Notice(text, EDGE, ""))
    assert not [one for one in found if one.field in ("venue", "year") and one.chance >= 0.8]


def test_who_is_to_be_seen_is_no_venue() -> None:
    found = read_notice(Notice("For a history of sound in games see Chan 2007, 12(3).", EDGE, ""))
    assert "venue" not in {one.field for one in found}


def test_a_street_and_its_number_are_no_venue_that_is_told() -> None:
    told = read_notice(Notice("Groenenborgerlaan 171, 2020", Place.EDGE))
    assert all(one.chance < 0.6 for one in told if one.field == "venue")
