"""Reads fields of declared records from a page's structured data, and titles from its headings.

Properties of a thing described in JSON-LD, microdata or RDFa are preferred to what was read from the text. A
property matches a field by the field's name, label or cues, or by being usual for its form ("startDate" for a
date). The title is what marks taught, else the first heading, else the page's own title.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from portico.extract.page_rows import HEADING
from portico.extract.words import Row
from portico.text.names import fold, fold_letters
from portico.types.document import Document, Span
from portico.types.domain import Described, FieldRule, Form, Kind, ShownField
from portico.types.record import Field, Record, RecordId

# Probabilities of values in structured data and of titles by their position; not measured.
BY_DATA, BY_HEADING, BY_TITLE = 0.95, 0.8, 0.6
# Things that describe the page or its site, not what it is about.
_AROUND = re.compile(
    r"web(?:page|site)|breadcrumb\w*|listitem|imageobject|searchaction|\w*organization|itemlist|collectionpage"
    r"|aboutpage|contactpage|wp\w+|sitenavigationelement|thing|faqpage|question|answer"
)
# Properties that usually hold fields of a form, the most specific first.
_USUAL: Mapping[Form, tuple[str, ...]] = MappingProxyType(
    {
        Form.DATE: ("startdate", "datepublished", "datecreated", "releasedate", "article:published_time"),
        Form.PLACE: ("location.name", "location.address.addresslocality", "address.addresslocality"),
        Form.PRICE: ("offers.price", "price", "offers.lowprice", "product:price:amount"),
        Form.PICTURE: ("image", "image.url", "og:image", "thumbnailurl"),
        Form.URL: ("url", "og:url"),
        Form.EMAIL: ("email",),
        Form.PHONE: ("telephone",),
    }
)
_CURRENCIES = ("offers.pricecurrency", "pricecurrency", "product:price:currency")
_TITLES = ("name", "headline", "title")
_SEPARATORS = re.compile(r"\s+[|»–—-]+\s+|\s*[|»]\s*|\s+::\s+")
_EDGES = " \t:;,.|–—-•·"
# Words for a page at the end of a title: "The Design of Algorithms: Homepage".
_PAGE_WORDS = re.compile(
    r"(?:^|\s*[:;,|–—-]+\s*|\s+)(?:(?:course|class|official)\s+)?(?:home\s?page|web\s?(?:page|site)|main page"
    r"|(?:course|class) page)\W*$",
    re.IGNORECASE,
)
# Headings of the first level that are tried for a title.
FIRST_HEADINGS = 2
_FURNITURE = ("in=nav", "in=foot")
_LESSER = ("in=h2", "in=h3")
_SITE_NAMES = frozenset({"meta:og:site_name", "meta:application-name", "logo"})
# Minimum length of a field's name for matching the end of a property's name.
SHORTEST_NAME = 4
_WORDS = re.compile(r"\w+")
_COPYRIGHT = re.compile(r"(?:©|\(c\)|copyright\b)", re.IGNORECASE)


def add_structured_fields(
    document: Document, rows: Sequence[Row], records: Sequence[Record], kinds: Sequence[Kind]
) -> tuple[Record, ...]:
    """Return the records with values from the page's structured data, and titles for declared kinds."""
    out = list(records)
    for kind in kinds:
        if kind.described is not None:
            out = add_described(document, kind, kind.described, out)
        if not kind.cues or kind.begins or kind.display is None:
            continue
        mine = next((record for record in out if record.kind == kind.name), None)
        read = _Reading(document, rows, kind, mine.fields if mine else ())
        fields = read.fields()
        # Every page has a heading, so a heading alone does not make a record.
        is_title_alone = {field.name for field in fields} <= {kind.display.title}
        shown = kind.display.shown(kind.display.title)
        is_heading = shown is not None and shown.form is Form.HEADING
        if is_title_alone and not read.is_described and (mine is None or is_heading):
            out = [record for record in out if record is not mine]
            continue
        whole = _record(document, kind, mine, fields)
        out = [whole if record is mine else record for record in out] if mine else [*out, whole]
    return tuple(out)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One page read for one kind of record."""

    document: Document
    rows: Sequence[Row]
    kind: Kind
    read: Sequence[Field]

    @property
    def is_described(self) -> bool:
        """Whether the page's data describe a thing of this kind."""
        return any(name.startswith("data:") and self._kind_of(name) == fold_letters(self.kind.name)
                   for name, _ in self.document.asides)  # fmt: skip

    def fields(self) -> tuple[Field, ...]:
        """Return what was read, with fields that the page's data also have replaced by their values."""
        told = [field for rule in self.kind.rules for field in self._told(rule)]
        names = {field.name for field in told}
        kept = [field for field in self.read if field.name not in names]
        assert self.kind.display is not None
        title = self.kind.display.title
        found = [*told, *kept]
        marked = any(field.name == title for field in self.read)
        if marked:  # marks come before everything else
            found = [*(field for field in found if field.name != title),
                     *(field for field in self.read if field.name == title)]  # fmt: skip
        elif title not in names or self._headings():
            found = [field for field in found if field.name != title] + (
                [named]
                if (named := self._title(title, found))
                else [field for field in found if field.name == title]
            )
        order = {rule.field: idx for idx, rule in enumerate(self.kind.rules)}
        return tuple(sorted(found, key=lambda field: (order.get(field.name, 99), field.span)))

    def _told(self, rule: FieldRule) -> Iterator[Field]:
        shown = self.kind.display.shown(rule.field) if self.kind.display else None
        for value in dict.fromkeys(self._values(rule, shown)):
            yield Field(rule.field, value, _find_place(self.document, value), BY_DATA)
            if rule.once:
                return

    def _values(self, rule: FieldRule, shown: ShownField | None) -> Iterator[str]:
        """Yield the values of properties that match the field by name, or else by its form."""
        data = self._data()
        cues = next((words for label, words in self.kind.cues if label == rule.label), ())
        names = {fold_letters(word) for word in (rule.field, *cues)}
        by_name = [value for name, value in data if fold_letters(name) in names or _last(name) in names]
        by_name = by_name or [value for name, value in data if _ends_in(_last(name), names)]
        form = shown.form if shown else Form.TEXT
        is_title = self.kind.display is not None and rule.field == self.kind.display.title
        made = ("datecreated",) if "date" in names else ()
        usual = (*_USUAL.get(form, ()), *made, *(_TITLES if is_title else ()))
        by_form = [value for wanted in usual for name, value in data if name == wanted]
        for value in by_name or by_form[:1]:
            if form is Form.PRICE and value.replace(".", "").replace(",", "").isdigit():
                currency = next((said for name, said in data if name in _CURRENCIES), "")
                yield f"{value} {currency}".strip()
            elif form is Form.DATE and re.match(r"\d{4}-\d\d-\d\d", value):
                yield value[:10]
            elif form in (Form.PICTURE, Form.TEXT, Form.PLACE, Form.HEADING):
                yield value
            else:
                yield from (reading.value for reading in rule.read(value)) if rule.read(value) else (value,)

    def _data(self) -> list[tuple[str, str]]:
        """Return properties of the thing that the page is about, then its meta elements."""
        things: dict[str, list[tuple[str, str]]] = {}
        for name, value in self.document.asides:
            if name.startswith("data:"):
                number, _, path = name.removeprefix("data:").partition(":")
                kind, _, prop = path.partition(".")
                if prop and not prop.endswith("@type") and not _AROUND.fullmatch(kind):
                    things.setdefault(f"{number}:{kind}", []).append((prop, value))
        wanted = fold_letters(self.kind.name)
        chosen = next((pairs for key, pairs in things.items() if key.partition(":")[2] == wanted), None)
        if chosen is None:
            chosen = next(iter(things.values()), [])
        meta = [(name.removeprefix("meta:"), value) for name, value in self.document.asides
                if name.startswith("meta:")]  # fmt: skip
        return [*chosen, *meta]

    def _kind_of(self, name: str) -> str:
        return name.split(":", 2)[2].partition(".")[0]

    def _title(self, name: str, others: Sequence[Field]) -> Field | None:
        """Return the first heading, else the page's title without the site's name, else a lesser heading."""
        said = dict(self.document.asides)
        titles = (said.get("meta:og:title", ""), *(row.text for row in self.rows if "in=title" in row.looks))
        text = next(filter(None, titles), "")
        parts = [part for part in _SEPARATORS.split(text) if part.strip() and not self._is_site(part)]
        lesser = self._headings(_LESSER)[:1]
        candidates = (
            *((row.text, row.words[0].span.start, BY_HEADING) for row in self._headings()[:FIRST_HEADINGS]),
            *((part, 0, BY_TITLE) for part in parts),
            *((row.text, row.words[0].span.start, BY_TITLE) for row in lesser),
        )
        named = (self._named(name, text, start, chance, others) for text, start, chance in candidates)
        return next(filter(None, named), None)

    def _headings(self, orders: Sequence[str] = ("in=h1",)) -> list[Row]:
        """Return the headings of these levels that are not the name of the site."""
        return [
            row
            for row in self.rows
            if HEADING in row.looks
            and not set(row.looks).isdisjoint(orders)
            and set(row.looks).isdisjoint(_FURNITURE)
            and not self._is_site(row.text)
        ]

    def _is_site(self, text: str) -> bool:
        """Whether a text is the site's name according to its data, its logo, or the foot of the page."""
        compared = _list_words(text)
        named = (value for name, value in self.document.asides if name in _SITE_NAMES)
        feet = (row.text for row in self.rows if "in=foot" in row.looks or _COPYRIGHT.match(row.text))
        return any(compared == _list_words(value) for value in named) or any(
            compared in _list_words(foot) for foot in feet
        )

    def _named(
        self, name: str, text: str, start: int, chance: float, others: Sequence[Field]
    ) -> Field | None:
        """Return a title without values of other fields before or after it: "CS 101: Soil" becomes Soil.

        None if nothing but such values and words for a page are left: "CS101 Home Page" is no title.
        """
        text = _PAGE_WORDS.sub("", text).strip(_EDGES)
        for other in others:
            for value in dict.fromkeys((other.value, *self._printed(other))):
                text = _strip_value(text, value, is_code=any(map(str.isdigit, value)))
        text = text.strip(_EDGES)
        found = self.document.text.find(text, start) if text else -1
        return Field(name, text, Span(max(found, 0), max(found, 0) + len(text)), chance) if text else None

    def _printed(self, field: Field) -> tuple[str, ...]:
        """Return a value as the text prints it; values such as dates are normalized."""
        return (field.span.of(self.document.text),) if field in self.read else ()


def _strip_value(text: str, value: str, *, is_code: bool) -> str:
    """Drop a value before or behind a text; of a code such as "CS 101", spaces may differ or letters lack."""
    parts = re.findall(r"[^\W\d_]+|\d+", value) if is_code else []
    printed = r"[\s.-]?".join(map(re.escape, parts)) if parts else re.escape(value)
    if len(parts) == CODE_PARTS and parts[-1].isdigit() and len(parts[-1]) >= CODE_DIGITS:
        printed = rf"(?:{printed}|{parts[-1]}(?=[\s:,]))"
    if value == text and not is_code:
        return text
    stripped = re.sub(rf"^(?:{printed})(?!\w)", "", text, flags=re.IGNORECASE).lstrip(_EDGES)
    if stripped == text:
        stripped = re.sub(rf"(?<!\w)(?:{printed})\W*$", "", text, flags=re.IGNORECASE).rstrip(_EDGES + "([")
    return stripped


# Letters and digits of a code such as "CS 101", and fewest digits that stand for it alone.
CODE_PARTS, CODE_DIGITS = 2, 3


def add_described(
    document: Document, kind: Kind, described: Described, records: Sequence[Record]
) -> list[Record]:
    """Add values and records from things of the kind that the page's structured data describe.

    A thing matches a record if both have the same value in the field that begins records. If a page holds
    only one record of the kind, every such thing matches it.
    """
    things = [*_list_things(document, kind, described)]
    out = [record for record in records if not _overstates(record, things, kind)]
    for values in things:
        fields = tuple(Field(name, value, _find_place(document, value), BY_DATA) for name, value in values)
        mine = next((record for record in out if _is_about(record, fields, kind)), None)
        if mine is not None:
            have = {(field.name, _compared(field.value)) for field in mine.fields}
            once = {rule.field for rule in kind.rules if rule.once and mine.value(rule.field)}
            new = [
                field
                for field in fields
                if field.name not in once and (field.name, _compared(field.value)) not in have
            ]
            whole = replace(mine, fields=_in_order((*mine.fields, *new), kind))
            out = [whole if record is mine else record for record in out]
        elif not kind.begins or any(field.name == kind.begins for field in fields):
            number = 1 + sum(record.kind == kind.name for record in out)
            out.append(_new_record(document, kind, number, _in_order(fields, kind)))
    return out


def _list_things(
    document: Document, kind: Kind, described: Described
) -> Iterator[tuple[tuple[str, str], ...]]:
    """Yield the values of each thing of the kind, read like those of its fields; skip empty ones."""
    things: dict[str, list[tuple[str, str]]] = {}
    for name, value in document.asides:
        number, _, path = name.removeprefix("data:").partition(":")
        thing, _, prop = path.partition(".")
        if name.startswith("data:") and prop and re.fullmatch(described.things, thing):
            things.setdefault(number, []).append((prop, " ".join(value.split())))
    for told in things.values():
        read: dict[tuple[str, str], None] = {}
        for name, props in described.properties:
            parts = [value for prop in props for said, value in told if said == prop]
            texts = [(" " if name == kind.begins else ", ").join(dict.fromkeys(parts))]
            is_there = name == kind.begins and any(field == name for field, _ in read)
            for text in () if is_there else parts if len(props) == 1 else texts:
                for rule in (rule for rule in kind.rules if rule.label == name):
                    read |= dict.fromkeys((rule.field, one.value) for one in rule.read(text))
        if read:
            yield tuple(read)


def _overstates(record: Record, things: Iterable[Iterable[tuple[str, str]]], kind: Kind) -> bool:
    """Whether a record's name contains that of the same thing in the page's data, and more words."""
    if record.kind != kind.name or not kind.begins:
        return False
    said = _list_words(record.value(kind.begins) or "")
    told = (_list_words(value) for values in things for name, value in values if name == kind.begins)
    return any(name in said and name != said for name in told)


def _is_about(record: Record, fields: Sequence[Field], kind: Kind) -> bool:
    if record.kind != kind.name:
        return False
    begins = [field.value for field in fields if field.name == kind.begins]
    return not kind.begins or fold_letters(record.value(kind.begins) or "") in map(fold_letters, begins)


def _in_order(fields: Sequence[Field], kind: Kind) -> tuple[Field, ...]:
    order = {rule.field: idx for idx, rule in enumerate(kind.rules)}
    return tuple(sorted(fields, key=lambda field: (order.get(field.name, len(order)), field.span)))


def _compared(value: str) -> str:
    """Normalize a value for comparison: letters and digits alone."""
    return "".join(filter(str.isalnum, fold_letters(value)))


def _find_place(document: Document, value: str) -> Span:
    """Return where the page prints the value; its start if it does not."""
    start = max(0, document.text.find(value))
    return Span(start, start + max(1, min(len(value), len(document.text) - start)))


def _list_words(text: str) -> str:
    """Return the words of a text with a space around each, for searching in another such text."""
    return f" {' '.join(_WORDS.findall(fold(text)))} "


def _ends_in(name: str, words: Iterable[str]) -> bool:
    """Whether a property's name ends in the name of a field, such as "artMedium" in "Medium"."""
    return any(name.endswith(word) for word in words if len(word) >= SHORTEST_NAME)


def _last(name: str) -> str:
    return fold_letters(name.rpartition(".")[2])


def _record(document: Document, kind: Kind, mine: Record | None, fields: Sequence[Field]) -> Record:
    return replace(mine, fields=tuple(fields)) if mine else _new_record(document, kind, 1, fields)


def _new_record(document: Document, kind: Kind, number: int, fields: Sequence[Field]) -> Record:
    start, end = min(field.span.start for field in fields), max(field.span.end for field in fields)
    raw = " ".join(Span(start, end).of(document.text).split())[:2_000]
    record_id = RecordId(f"{document.id}#{kind.name}-{number}")
    return Record(record_id, kind.name, document.id, raw, Span(start, end), tuple(fields))
