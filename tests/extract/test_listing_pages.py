"""A list of publications tells year and venue of a paper that prints neither, and nothing of others."""

import time
from dataclasses import replace

import pytest

from portico.domains.papers import PAPERS
from portico.extract.extractor import load_extractor
from portico.extract.listing_pages import ListingReader
from portico.types.document import DocumentId, Span
from portico.types.page import ListingContext, Url
from portico.types.record import Field, Record, RecordId

PAGE = Url("http://a.test/pubs.html")
TARGET = Url("http://a.test/x.pdf")
TITLE = "Protocols for Collecting Responses in Radio Networks"
ENTRY = (
    "A. Bell and C. Dorn. Protocols for collecting responses in radio networks. "
    "In Proceedings of the Fourth Conference on Distributed Computing, pages 12-19, June 1998. (ps, pdf)"
)


@pytest.fixture(scope="module")
def read() -> ListingReader:
    extractor = load_extractor(PAPERS)
    return ListingReader(extractor.tag_reference, extractor.read_reference)


def header(*fields: Field, title: str = TITLE) -> Record:
    document = DocumentId("d" * 64)
    named = Field("title", title, Span(0, len(title)), 0.9)
    return Record(
        RecordId(f"{document}#header"), "header", document, title, Span(0, len(title)), (named, *fields)
    )


def listing(*texts: str) -> ListingContext:
    return ListingContext(PAGE, TARGET, texts)


def told(record: Record) -> dict[str, str]:
    return {field.name: field.value for field in record.fields if field.listed_on}


def test_what_the_header_lacks_is_read_from_the_list(read: ListingReader) -> None:
    record = read(header(), [listing("pdf", ENTRY)])
    said = told(record)
    assert (said["year"], said["published"], said["pages"]) == ("1998", "1998-06", "12-19")
    assert said["booktitle"].endswith("Fourth Conference on Distributed Computing")
    lent = [field for field in record.fields if field.name in said]
    assert all(field.listed_on == PAGE and not len(field.span) for field in lent)
    assert all(0 < field.confidence < 1 for field in lent)
    assert record.value("title") == TITLE  # names it, is not replaced


@pytest.mark.parametrize("doors", ["[PDF | PDF]", "(ps.gz, 120 KB) [abstract]", "( pdf; slides )", "pdf"])
def test_links_to_files_are_no_venue(read: ListingReader, doors: str) -> None:
    entry = "A. Bell and C. Dorn. Protocols for collecting responses in radio networks. 1998. "
    assert told(read(header(), [listing(entry + doors)])) == {"year": "1998"}


def test_what_the_paper_prints_itself_stands(read: ListingReader) -> None:
    printed = Field("year", "1997", Span(60, 64), 0.6)
    record = read(header(printed), [listing(ENTRY)])
    assert [field.value for field in record.all("year")] == ["1997"]
    assert "published" not in told(record)  # says the same thing, and would contradict it
    assert told(record)["pages"] == "12-19"


@pytest.mark.parametrize(
    "text",
    [
        "pdf",
        "",
        "1998",
        ENTRY.replace("Protocols for collecting responses", "Lower bounds for gossiping"),
        "Home Research Publications Teaching Links Last changed 12 May 2003",
        f"Lower bounds for gossiping. 1995 [ps] {ENTRY}",  # two entries: whose year it is cannot be told
    ],
)
def test_words_about_something_else_are_not_believed(read: ListingReader, text: str) -> None:
    assert read(header(), [listing(text)]) == header()


def test_the_first_page_that_names_the_paper_is_believed(read: ListingReader) -> None:
    other = Url("http://a.test/z.html")
    record = read(header(), [ListingContext(other, TARGET, ("pdf",)), listing(ENTRY)])
    assert {field.listed_on for field in record.fields} == {"", PAGE}


def test_a_title_with_lost_letters_is_still_recognized(read: ListingReader) -> None:
    record = read(header(title=TITLE.replace("Collecting", "Coecting")), [listing(ENTRY)])
    assert told(record)["year"] == "1998"


def test_a_header_without_title_learns_nothing(read: ListingReader) -> None:
    nameless = replace(header(), fields=())
    assert read(nameless, [listing(ENTRY)]) == nameless


def test_a_line_of_brackets_costs_no_time(read: ListingReader) -> None:
    started = time.process_time()
    for text in ("(" * 20_000, "(pdf" * 5_000, "- " * 10_000):
        assert told(read(header(), [listing(f"1998 1999 {text}")])) == {}
    assert time.process_time() - started < 2.0  # took 80 s
