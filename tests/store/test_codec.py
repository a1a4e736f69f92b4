"""What is encoded comes back equal, whatever it is."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portico.errors import PortalError
from portico.store.codec import decode, decode_field, digest, encode
from portico.types.document import Box, Document, DocumentId, Line, PageSize, Span, TextRun
from portico.types.record import Context, Entity, EntityId, Field, Record, RecordId
from portico.types.search import Entry

# Half characters too: text layers of PDF files have them.
words = st.text(st.characters(codec=None), max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
spans = st.builds(Span, st.integers(0, 10**6), st.integers(0, 10**6))
runs = st.builds(TextRun, spans, words, numbers, st.booleans(), st.booleans(), st.booleans())
lines = st.builds(
    Line,
    spans,
    st.integers(0, 99),
    st.integers(0, 99),
    st.none() | st.builds(Box, numbers, numbers, numbers, numbers),
    st.lists(runs, max_size=3).map(tuple),
)
documents = st.builds(
    Document,
    words.map(DocumentId),
    words,
    words,
    st.lists(lines, max_size=4).map(tuple),
    st.lists(st.builds(PageSize, numbers, numbers), max_size=2).map(tuple),
)
fields = st.builds(Field, words, words, spans, numbers)
records = st.builds(
    Record,
    words.map(RecordId),
    words,
    words.map(DocumentId),
    words,
    spans,
    st.lists(fields, max_size=3).map(tuple),
    st.lists(st.builds(Context, words, spans), max_size=2).map(tuple),
)


@given(documents)
def test_documents_come_back(document: Document) -> None:
    assert decode(Document, encode(document)) == document


@given(documents)
def test_one_field_can_be_read_alone(document: Document) -> None:
    data = encode(document)
    assert decode_field(Document, data, "text") == document.text
    assert decode_field(Document, data, "lines") == document.lines


@given(st.lists(records, max_size=4).map(tuple))
def test_tuples_of_records_come_back(found: tuple[Record, ...]) -> None:
    assert decode(tuple[Record, ...], encode(found)) == found


@given(st.builds(Entry, words.map(EntityId), words, topics=st.lists(st.lists(words).map(tuple)).map(tuple)))
def test_nested_tuples_come_back(entry: Entry) -> None:
    assert decode(Entry, encode(entry)) == entry


@given(documents, documents)
def test_digests_tell_values_apart(one: Document, other: Document) -> None:
    assert (digest(encode(one)) == digest(encode(other))) == (encode(one) == encode(other))
    assert digest(encode(one)) == digest(encode(decode(Document, encode(one))))


@dataclass(frozen=True, slots=True)
class Before:
    name: str
    parts: tuple[int, str]


@dataclass(frozen=True, slots=True)
class After:
    name: str
    parts: tuple[int, str]
    added: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Lonely:
    only: Span


@dataclass(frozen=True, slots=True)
class Unkeepable:
    names: set[str]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    place: Span | Box


def test_a_field_added_since_gets_its_default() -> None:
    assert decode(After, encode(Before("a", (1, "b")))) == After("a", (1, "b"), ())


def test_a_class_of_one_field() -> None:
    assert decode(Lonely, encode(Lonely(Span(1, 2)))) == Lonely(Span(1, 2))


@pytest.mark.parametrize("value", [Unkeepable({"a"}), Ambiguous(Span(1, 2))])
def test_types_that_would_not_come_back_are_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"cannot keep this type|which of these was meant"):
        encode(value)


def test_not_a_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode(Field("year", "1999", Span(0, 4), float("nan")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no frame",
        encode((1, 2)),
        encode(Lonely(Span(1, 2)))[:-3],
        encode(("a", "b", "c", "d", "e", "f", "g")),
    ],
)
def test_damaged_bytes_are_named(data: bytes) -> None:
    with pytest.raises(PortalError, match="portico verify --repair"):
        decode(Document, data)


@pytest.mark.parametrize("data", [b"", b"no frame"])
def test_the_digest_of_damaged_bytes_is_an_error(data: bytes) -> None:
    with pytest.raises(PortalError, match="cannot be read"):
        digest(data)


def test_entities_come_back() -> None:
    entity = Entity(
        EntityId("e"),
        "paper",
        (RecordId("r1"), RecordId("r2")),
        (DocumentId("d"),),
        (Field("title", "Ünïcode \ud800 ∑", Span(0, 3), 0.25),),
        RecordId("r1"),
        3,
        0.5,
        1e-300,
    )
    assert decode(Entity, encode(entity)) == entity
