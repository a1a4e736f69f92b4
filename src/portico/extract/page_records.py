"""Groups the labelled passages of a page into records: one for the page, or one for each name on it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from portico.extract.fields import read_segment
from portico.extract.page_rows import HEADING
from portico.extract.tagger import Segment, Tagged
from portico.extract.words import Row, Word
from portico.text.names import fold
from portico.types.document import Document, Span
from portico.types.domain import FieldRule, Kind
from portico.types.record import Field, Record, RecordId

# Maximum distance, in rows, of a passage from its record.
REACH = 4
# Rows by which a passage counts as nearer to a record in the same paragraph, list item or table row.
SAME_BLOCK = 0.5
# The same for a table row, which outweighs every distance.
WHOLE_ROW = 100.0


def build_records(document: Document, tagged: Tagged, kinds: Sequence[Kind]) -> tuple[Record, ...]:
    """Return records in the order of the kinds, and within a kind in the order of the page.

    A kind that repeats takes the passages near the beginnings of its records; the rest belongs to the page as
    a whole.
    """
    segments = _without_site_names(document, tagged, _segments(tagged, kinds), kinds)
    taken: set[int] = set()
    found: dict[str, tuple[Record, ...]] = {}
    for kind in sorted(kinds, key=lambda kind: not kind.begins):
        if kind.begins:
            found[kind.name] = _repeated(document, tagged, segments, kind, taken)
        else:
            found[kind.name] = _single(document, tagged, segments, kind, taken)
    return tuple(record for kind in kinds for record in found[kind.name])


def _without_site_names(
    document: Document, tagged: Tagged, segments: Sequence[Segment], kinds: Sequence[Kind]
) -> list[Segment]:
    """Drop passages that would begin a record but are the site's own name without a role nearby."""
    names = {
        fold(chosen[0])
        for kind in kinds
        if kind.name_site is not None and (chosen := kind.name_site(_list_evidence(document, tagged)))
    }
    beside = {kind.begins: kind.beside for kind in kinds if kind.begins and kind.beside}

    def is_site(segment: Segment) -> bool:
        return (
            segment.label in beside
            and any(
                _is_part_of(fold(_join(segment.words)), name, tagged.rows[segment.first_row])
                for name in names
            )
            and not any(
                other.label == beside[segment.label] and abs(other.first_row - segment.first_row) <= 1
                for other in segments
            )
        )

    return [segment for segment in segments if not is_site(segment)]


def _is_part_of(words: str, name: str, row: Row) -> bool:
    """Whether words are a name, or its beginning or end in a line that has the whole name."""
    is_edge = name.startswith(f"{words} ") or name.endswith(f" {words}")
    return words == name or (is_edge and name in fold(row.text))


def _segments(tagged: Tagged, kinds: Sequence[Kind]) -> list[Segment]:
    """Return the labelled passages, each ending with its paragraph, some with their line or cell.

    Passages that begin records also end with their line if each of their lines could begin one, such as an
    office and the name below it.
    """
    one_line = {rule.label for kind in kinds for rule in kind.rules if rule.one_line}
    may_begin = {kind.begins: kind.may_begin for kind in kinds if kind.begins and kind.may_begin}
    goes_on = {rule.label: rule.goes_on for kind in kinds for rule in kind.rules if rule.goes_on is not None}
    out: list[Segment] = []
    for segment in tagged.segments():
        begins = may_begin.get(segment.label)
        is_each = begins is not None and all(map(begins, map(_join, segment.lines)))
        by_line = segment.label in one_line or is_each
        out += _apart(segment, tagged, goes_on.get(segment.label), by_line=by_line)
    return out


def _join(line: Sequence[Word]) -> str:
    return " ".join(word.text for word in line)


def _apart(
    segment: Segment, tagged: Tagged, goes_on: Callable[[str, str], bool] | None, *, by_line: bool
) -> list[Segment]:
    blocks = [
        idx if by_line else tagged.rows[segment.first_row + idx].block for idx in range(len(segment.lines))
    ]
    cuts = [0]
    for idx in range(1, len(blocks)):
        if blocks[idx] != blocks[idx - 1] and not (
            goes_on is not None
            and goes_on(" ".join(map(_join, segment.lines[cuts[-1] : idx])), _join(segment.lines[idx]))
        ):
            cuts.append(idx)
    cuts.append(len(blocks))
    parts = []
    n_words = 0
    for start, end in pairwise(cuts):
        lines = segment.lines[start:end]
        size = sum(map(len, lines))
        chances = segment.probabilities[n_words : n_words + size]
        parts.append(Segment(segment.label, lines, chances, segment.first_row + start))
        n_words += size
    return parts


def _single(
    document: Document, tagged: Tagged, segments: Sequence[Segment], kind: Kind, taken: set[int]
) -> tuple[Record, ...]:
    fields: list[Field] = []
    for rule in kind.rules:
        chosen = [
            segment
            for idx, segment in enumerate(segments)
            if idx not in taken and segment.label == rule.label and rule.label != kind.other
        ]
        read = [field for segment in chosen for field in read_segment(rule, segment, ())]
        fields += _distinct([max(read, key=lambda field: field.confidence)] if rule.once and read else read)
    if kind.name_site is not None and kind.display is not None:
        fields = _named_by_site(document, tagged, fields, kind)
    return (_record(document, kind, 1, fields),) if fields else ()


def _named_by_site(document: Document, tagged: Tagged, fields: Sequence[Field], kind: Kind) -> list[Field]:
    """Replace the title with the name of the site that most of the page's evidence supports, if any."""
    assert kind.name_site is not None
    assert kind.display is not None
    title = kind.display.title
    read = [("read", field.value) for field in fields if field.name == title]
    chosen = kind.name_site([*_list_evidence(document, tagged), *read])
    if chosen is None:
        return list(fields)
    value, chance = chosen
    start = max(0, document.text.find(value))
    span = Span(start, start + max(1, len(value)))
    others = (_without_owner(field, value) for field in fields if field.name != title)
    return [Field(title, value, span, chance), *others]


def _without_owner(field: Field, owner: str) -> Field:
    """Drop the owner's name in front of a longer value, such as an address on the same line."""
    rest = field.value[len(owner) :].lstrip(" ,|-–—•·:;/")
    is_longer = field.value.startswith(f"{owner} ") or field.value.startswith(f"{owner},")
    return replace(field, value=rest) if is_longer and rest else field


def _list_evidence(document: Document, tagged: Tagged) -> list[tuple[str, str]]:
    """Return the structured data and the lines of a page that may tell whose site it is."""
    lines = [(_place_of_evidence(row), row.text) for row in tagged.rows if len(row.words) <= LINE_OF_EVIDENCE]
    return [*document.asides, *lines]


def _place_of_evidence(row: Row) -> str:
    if "in=title" in row.looks:
        return "title"
    if "in=foot" in row.looks:
        return "foot"
    return "head" if "in=head" in row.looks and HEADING in row.looks else "line"


# Maximum number of words of a line that may tell whose site a page belongs to.
LINE_OF_EVIDENCE = 30


@dataclass(slots=True)
class _Open:
    """A record under construction."""

    row: int
    block: int
    end: int  # of its first passage, in characters
    fields: list[Field]


def _repeated(
    document: Document, tagged: Tagged, segments: Sequence[Segment], kind: Kind, taken: set[int]
) -> tuple[Record, ...]:
    begun: list[_Open] = []
    for idx, segment in enumerate(segments):
        if segment.label == kind.begins:
            taken.add(idx)
            begun += _begun(segment, kind, tagged)
    if not begun:
        return ()
    wanted = {rule.label for rule in kind.rules} - {kind.begins}
    others = [idx for idx, segment in enumerate(segments) if segment.label in wanted]
    habit = bool(others) and segments[others[0]].words[0].span.start < begun[0].end
    sides = {label: _find_side(segments, others, begun, label) for label in wanted}
    for idx in others:
        home = _home(segments[idx], begun, tagged, leads=habit, side=sides[segments[idx].label])
        if home is not None:
            taken.add(idx)
            home.fields += _read_all(kind.rules, segments[idx])
    if kind.beside:
        _share_announced(begun, kind.beside, tagged)
    merged = _merged(begun, kind)
    return tuple(_record(document, kind, number, fields) for number, fields in enumerate(merged, start=1))


def _share_announced(begun: Sequence[_Open], beside: str, tagged: Tagged) -> None:
    """Give a role that ends with a colon to all names below it in the same paragraph, one name in a line."""
    for before, record in pairwise(begun):
        if record.block != before.block or record.row != before.row + 1:
            continue
        if any(field.name == beside for field in record.fields):
            continue
        shared = [
            field
            for field in before.fields
            if field.name == beside
            and tagged.rows[(at := _row_of(tagged, field.span.start))].text.endswith((":", "："))
            and tagged.rows[at].block == record.block
        ]
        record.fields += shared


def _begun(segment: Segment, kind: Kind, tagged: Tagged) -> list[_Open]:
    """Begin a record for each value in the passage: "Ann Bell / Bo Lind" begins two."""
    rules = [rule for rule in kind.rules if rule.label == kind.begins]
    out = []
    for field in read_segment(rules[0], segment, ()):
        row = _row_of(tagged, field.span.start)
        also = [other for rule in rules[1:] for other in read_segment(rule, segment, ())]
        out.append(_Open(row, tagged.rows[row].block, field.span.end, [field, *also]))
    return out


def _find_side(segments: Sequence[Segment], others: Sequence[int], begun: Sequence[_Open], label: str) -> int:
    """Return where passages of a label stand: 1 always after their record, -1 always before it, else 0.

    If none precedes the first record and one follows the last, and there is one for most records, they all
    follow their records.
    """
    ends = [one.end for one in begun]
    gaps = [
        bisect_right(ends, segments[idx].words[0].span.start)
        for idx in others
        if segments[idx].label == label
    ]
    if len(begun) < LEAST_OF_SIDE or len(set(gaps)) < SIDE_SHARE * len(begun):
        return 0
    return (len(begun) in gaps and 0 not in gaps) - (0 in gaps and len(begun) not in gaps)


# Fewest records, and share of them with a passage of a label, that tell on which side of records it stands.
LEAST_OF_SIDE, SIDE_SHARE = 3, 0.7


def _home(
    segment: Segment, begun: Sequence[_Open], tagged: Tagged, *, leads: bool, side: int = 0
) -> _Open | None:
    """Return the nearest record, to which the passage belongs, or None if none is near enough.

    If two are equally near, a passage that is a heading belongs to the next one, any other to the one before.
    If the looks do not tell, the habit of the page decides (`leads`: passages precede their records).
    """
    start = segment.words[0].span.start
    position = bisect_right([one.end for one in begun], start)
    first, last = segment.first_row, segment.first_row + len(segment.lines) - 1
    best: tuple[float, _Open] | None = None
    for idx, is_before in ((position - 1, True), (position, False)):
        if not 0 <= idx < len(begun):
            continue
        record = begun[idx]
        distance = float(first - record.row if is_before else record.row - last)
        is_same = record.block in (tagged.rows[first].block, tagged.rows[last].block)
        is_in_row = is_same and "in=td" in tagged.rows[first].looks
        if distance > REACH and not is_in_row:
            continue
        distance -= WHOLE_ROW if is_in_row else SAME_BLOCK * is_same
        distance -= REACH * (side == (1 if is_before else -1))
        over = _stands_over(tagged.rows[first], tagged.rows[record.row])
        distance += SAME_BLOCK / 2 * (is_before == (leads if over is None else over))
        if best is None or distance < best[0]:
            best = (distance, record)
    return best[1] if best else None


def _stands_over(passage: Row, record: Row) -> bool | None:
    """Whether a passage is a heading of what follows it; None if it looks like the record's first line."""
    headings = HEADING in passage.looks, HEADING in record.looks
    if headings[0] != headings[1]:
        return headings[0]
    return None if passage.size == record.size else passage.size > record.size


def _row_of(tagged: Tagged, start: int) -> int:
    starts = [row.words[0].span.start for row in tagged.rows]
    return max(0, bisect_right(starts, start) - 1)


def _read_all(rules: Iterable[FieldRule], segment: Segment) -> list[Field]:
    return [
        field for rule in rules if rule.label == segment.label for field in read_segment(rule, segment, ())
    ]


def _merged(begun: Sequence[_Open], kind: Kind) -> list[list[Field]]:
    """Merge records with the same name: one may be named both in an overview and above a text."""
    by_name: dict[str, list[Field]] = {}
    for record in begun:
        by_name.setdefault(fold(record.fields[0].value), []).extend(record.fields)
    once = {rule.field for rule in kind.rules if rule.once}
    return [_best(fields, once) for fields in by_name.values()]


def _best(fields: Sequence[Field], once: set[str]) -> list[Field]:
    """Return each value once; of fields that occur once only the most certain value."""
    kept = []
    for field in _distinct(fields):
        rivals = [other for other in fields if other.name == field.name]
        surest = max(rivals, key=lambda other: other.confidence)
        if field.name not in once or field.value == surest.value:
            kept.append(field)
    return kept


def _distinct(fields: Iterable[Field]) -> list[Field]:
    """Return one field for each value: the most certain one, at the position of the first."""
    best: dict[tuple[str, str], Field] = {}
    for field in fields:
        key = (field.name, fold(field.value))
        if key not in best or best[key].confidence < field.confidence:
            best[key] = field
    return list(best.values())


def _record(document: Document, kind: Kind, number: int, fields: Sequence[Field]) -> Record:
    order = {rule.field: idx for idx, rule in enumerate(kind.rules)}
    ordered = tuple(sorted(fields, key=lambda field: (order[field.name], field.span)))
    start = min(field.span.start for field in ordered)
    end = max(field.span.end for field in ordered)
    raw = " ".join(Span(start, end).of(document.text).split())[:RAW_CHARACTERS]
    record_id = RecordId(f"{document.id}#{kind.name}-{number}")
    return Record(record_id, kind.name, document.id, raw, Span(start, end), ordered)


# Maximum length of the surrounding text that a record keeps.
RAW_CHARACTERS = 2_000
