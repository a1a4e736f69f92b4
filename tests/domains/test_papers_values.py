"""Dates, venues and identifiers as a machine wants them, from what papers print."""

import pytest

from portico.domains.papers.values import (
    normalize_venue,
    read_arxiv,
    read_date,
    read_doi,
    read_journal_name,
    read_url,
    read_venue_name,
)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("June 1992", "1992-06"),
        ("14 June 1992", "1992-06-14"),
        ("June 14, 1992.", "1992-06-14"),
        ("Sept. 3rd, 1999", "1999-09-03"),
        ("(Dec. 1995)", "1995-12"),
        ("May/June 1997", "1997-05"),
        ("July-August 1990", "1990-07"),
        ("12-15 August 1996", "1996-08-12"),
        ("August 12-15, 1996", "1996-08-12"),
        ("2004-07-09", "2004-07-09"),
        ("1994, May", "1994-05"),
        ("received May 1996, revised 2 June 1997", "1997-06-02"),
        ("1992", None),
        ("maybe 1992", None),
        ("pages 12-19", None),
    ],
)
def test_dates(printed: str, expected: str | None) -> None:
    found = read_date(printed)
    assert (found[0].value if found else None) == expected


@pytest.mark.parametrize(
    ("printed", "doi", "arxiv", "url"),
    [
        ("doi:10.1000/ABC.12-3.", "10.1000/abc.12-3", None, None),
        ("(https://doi.org/10.1000/182)", "10.1000/182", None, None),
        ("10.1016/0004-3702(86)90073-4,", "10.1016/0004-3702(86)90073-4", None, None),
        ("arXiv:1706.03762v5 [cs.CL]", None, "1706.03762", None),
        ("arXiv preprint arXiv:1301.3781, 2013", None, "1301.3781", None),
        ("arXiv:cs/9905014.", None, "cs/9905014", None),
        ("https://arxiv.org/abs/2001.00001", None, "2001.00001", None),
        (
            "Available at http://www.example.org/~ann/a.ps.gz.",
            None,
            None,
            "http://www.example.org/~ann/a.ps.gz",
        ),
        ("(see www.example.org/papers)", None, None, "www.example.org/papers"),
        ("ftp://ftp.example.org/pub/x_(1).ps", None, None, "ftp://ftp.example.org/pub/x_(1).ps"),
        ("Journal of Sound 10(1999), 1706.03762", None, None, None),
    ],
)
def test_identifiers(printed: str, doi: str | None, arxiv: str | None, url: str | None) -> None:
    found = [
        next((reading.value for reading in read(printed)), None) for read in (read_doi, read_arxiv, read_url)
    ]
    assert found == [doi, arxiv, url]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Proc. of the 12th Int. Conf. on Machine Learning", "international conference machine learning"),
        (
            "Proceedings of the Twelfth International Conference on Machine Learning (ICML-95)",
            "international conference machine learning icml",
        ),
        ("In Proceedings of IJCAI'97,", "ijcai"),
    ],
)
def test_meetings_have_one_name(printed: str, expected: str) -> None:
    assert [reading.value for reading in read_venue_name(printed)] == [expected]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("IEEE Trans. Comput.", "ieee transactions computing"),
        ("J. of the ACM", "journal acm"),
        ("Journal of the ACM", "journal acm"),
        ("Proceedings of the IEEE", "proceedings ieee"),
    ],
)
def test_journals_have_one_name(printed: str, expected: str) -> None:
    assert [reading.value for reading in read_journal_name(printed)] == [expected]


def test_a_year_is_no_venue() -> None:
    assert normalize_venue("Proc. 1997") == ""
    assert read_venue_name("Proc. 1997") == ()
