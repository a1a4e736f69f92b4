"""Reads domain.toml: a domain declared without Python. All mistakes are reported at once."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Any

from portico.config.keys import ONE_LINE, SOME_LINE, allow_one_of, allow_text, define_key
from portico.config.mistakes import MistakeList, format_hint, quote_value, read_toml
from portico.config.reading import Place, read_table
from portico.config.settings import SettingsTable
from portico.text.words import find_nearest
from portico.types.domain import SITE, Declaration, DeclaredField, DeclaredKind, DeclaredPage, Form

FORMS = (*(form.value for form in Form), "names", "link")
_NAME = allow_text("a name of small letters, digits and _, beginning with a letter", r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True, slots=True)
class PageTable:
    """A kind of page to look for."""

    name: str = define_key(MISSING, "What this kind of page is called.", _NAME, example="course")
    words: tuple[str, ...] = define_key(
        (),
        "Words in the title, headings or URL of such pages; used until pages have been taught.",
        SOME_LINE,
        example=("syllabus", "course home page"),
    )


@dataclass(frozen=True, slots=True)
class RecordTable:
    """A kind of record that is read from pages."""

    name: str = define_key(MISSING, "What one record is called, in the singular.", _NAME, example="course")
    title: str = define_key(MISSING, "The field that heads a record.", _NAME, example="title")
    plural: str = define_key(
        "", "The same in the plural; without it an s is added.", ONE_LINE, example="courses"
    )
    subtitle: tuple[str, ...] = define_key(
        (), "Fields beneath the title in lists.", _NAME, example=("number", "instructor")
    )
    identity: tuple[str, ...] = define_key(
        (),
        'Records that agree in these fields are the same thing; "site" means the site they come from.',
        _NAME,
        example=("number", "site"),
    )
    begins: str = define_key(
        "",
        "If a page holds several records: the field whose every value begins another record.",
        allow_text("the name of a field", r"([a-z][a-z0-9_]{0,30})?"),
        example="name",
    )
    part_of: str = define_key(
        "",
        "The kind of record this one belongs to, as officers belong to their organisation.",
        allow_text("the name of another record", r"([a-z][a-z0-9_]{0,30})?"),
        example="organisation",
    )


@dataclass(frozen=True, slots=True)
class FieldTable:
    """A field of a record."""

    name: str = define_key(
        MISSING, "What the field is called in searches and in the data.", _NAME, example="number"
    )
    label: str = define_key("", "What visitors read beside it.", ONE_LINE, example="Course number")
    form: str = define_key(
        "text",
        "How its values are read, compared and shown.",
        allow_one_of(*FORMS),
    )
    pattern: str = define_key(
        "",
        "A regular expression for its values, ignoring case; the group named value, if any, is the value.",
        ONE_LINE,
        example="CS ?\\d{3}",
    )
    like: tuple[str, ...] = define_key(
        (),
        "Examples of its values, instead of a pattern: text of the same shape is read anywhere on the page.",
        SOME_LINE,
        example=("CS 101", "MATH 204A"),
    )
    cues: tuple[str, ...] = define_key(
        (), "Words that announce it on pages.", SOME_LINE, example=("Instructor", "Taught by")
    )
    once: bool = define_key(False, "A record has only one such value: the most certain is kept.")
    search: bool = define_key(True, "field:value finds records by it.")
    facet: bool = define_key(False, "Results can be narrowed by its values.")


PAGE, RECORD, FIELD, TOPIC = "page", "record", "field", "topic"
PAGE_TABLE = SettingsTable(
    PAGE, PageTable, "A kind of page that the crawl looks for and fields are read from."
)
RECORD_TABLE = SettingsTable(RECORD, RecordTable, "A kind of record, and how it is shown.")
FIELD_TABLE = SettingsTable(f"{RECORD}.{FIELD}", FieldTable, "A field of the record above.")
_FORM = "write [[page]], [[record]], [[record.field]] and, for a topic tree, [[topic]]"


def read_declaration(path: Path) -> Declaration:
    """Read a declared domain; ConfigError names every mistake with its line."""
    toml = read_toml(
        path, advice="A portal of the domain custom needs it; `portico init --domain custom` makes one."
    )
    notes = MistakeList(toml)
    for name in toml.values:
        if name not in (PAGE, RECORD, TOPIC):
            hint = format_hint(find_nearest(name, (PAGE, RECORD, TOPIC)))
            notes.note(f'"{name}" is not allowed; {_FORM}{hint}', name)
    pages = tuple(_read_pages(notes))
    kinds = tuple(_read_kinds(notes))
    _check_names_differ([page.name for page in pages], PAGE, notes)
    _check_names_differ([kind.name for kind in kinds], RECORD, notes)
    for number, kind in enumerate(kinds):
        _check_kind(kind, kinds, (RECORD, number), notes)
    notes.finish()
    return Declaration(pages, kinds, has_topics=TOPIC in toml.values)


def _read_pages(notes: MistakeList) -> Iterator[DeclaredPage]:
    for place, found in _list_tables(notes.toml.values, PAGE, (), notes):
        read = read_table(PAGE_TABLE, found, place, notes)
        if read is not None:
            yield DeclaredPage(read.name, read.words)
        elif "name" not in found:
            notes.note('this page has no name; write name = "course"', *place)


def _read_kinds(notes: MistakeList) -> Iterator[DeclaredKind]:
    for place, found in _list_tables(notes.toml.values, RECORD, (), notes):
        read = read_table(
            RECORD_TABLE, {name: value for name, value in found.items() if name != FIELD}, place, notes
        )
        fields = tuple(_read_fields(found, place, notes))
        if read is None:
            _note_missing(found, ("name", "title"), place, notes)
            continue
        yield DeclaredKind(
            name=read.name,
            plural=read.plural or f"{read.name}s",
            title=read.title,
            fields=fields,
            subtitle=read.subtitle,
            identity=read.identity,
            begins=read.begins,
            part_of=read.part_of,
        )


def _read_fields(found: dict[str, Any], place: Place, notes: MistakeList) -> Iterator[DeclaredField]:
    for where, table in _list_tables(found, FIELD, place, notes):
        read = read_table(FIELD_TABLE, table, where, notes)
        if read is None:
            _note_missing(table, ("name",), where, notes)
            continue
        _check_pattern(read.pattern, where, notes)
        if read.pattern and read.like:
            notes.note("like and pattern say the same thing in two ways; keep one of them", *where, "like")
        many = read.form == "names"
        yield DeclaredField(
            name=read.name,
            label=read.label or read.name.replace("_", " ").capitalize(),
            form=Form.NAME if many else Form.URL if read.form == "link" else Form(read.form),
            many_names=many,
            pattern=read.pattern or make_shape_pattern(read.like),
            cues=read.cues,
            once=read.once,
            searchable=read.search,
            facet=read.facet,
        )


def make_shape_pattern(examples: Sequence[str]) -> str:
    """Return a regular expression for values of the same shape as the examples; "" if there are none.

    Digits and short words in capitals match others of similar length; other words match only themselves.
    "Fall 2023" and "Spring 2024" give one of these two words followed by four digits.
    """
    by_shape: dict[tuple[str, ...], list[list[str]]] = {}
    for example in filter(None, map(str.strip, examples)):
        parts = _PARTS_OF_VALUE.findall(example)
        by_shape.setdefault(tuple(map(_classify_part, parts)), []).append(parts)
    shapes = [
        "".join(_match_part(kind, said) for kind, said in zip(kinds, zip(*values, strict=True), strict=True))
        for kinds, values in by_shape.items()
    ]
    return rf"(?<!\w)(?:{'|'.join(shapes)})(?!\w)" if shapes else ""


_PARTS_OF_VALUE = re.compile(r"\d+|[^\W\d_]+|\s+|[\W_]")
# Maximum letters of a word in capitals that is an example of similar ones; longer ones are literal.
_LONGEST_CODE = 5


def _classify_part(part: str) -> str:
    if part.isdigit():
        return "digits"
    if part.isspace():
        return "space"
    if not part.isalpha():
        return part
    return "capitals" if part.isupper() and len(part) <= _LONGEST_CODE else "word"


def _match_part(kind: str, said: Sequence[str]) -> str:
    fewest, most = min(map(len, said)), max(map(len, said))
    if kind == "digits":
        return rf"\d{{{fewest},{most}}}"
    if kind == "capitals":
        # A single letter is a suffix; codes of several letters may have one more or less.
        spare = int(most > 1)
        return f"(?-i:[A-Z]){{{max(1, fewest - spare)},{most + spare}}}"
    if kind == "space":
        return r"\s"
    words = "|".join(re.escape(word) for word in dict.fromkeys(said))
    return f"(?:{words})" if kind == "word" else re.escape(kind)


def _list_tables(
    values: dict[str, Any], name: str, place: Place, notes: MistakeList
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The tables of an array of tables, each with its place; notes a mistake if there are none."""
    found = values.get(name, [])
    written = f"[[{RECORD}.{FIELD}]]" if name == FIELD else f"[[{name}]]"
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        notes.note(f"{name} is a list of tables; write {written}", *place, name)
        return
    if not found:
        notes.note(f"there is no {written}; {_FORM}", *place)
    for number, each in enumerate(found):
        yield (*place, name, number), each


def _note_missing(found: dict[str, Any], needed: Sequence[str], place: Place, notes: MistakeList) -> None:
    for name in needed:
        if name not in found:
            notes.note(f'this {place[-2]} has no {name}; write {name} = "…"', *place)


def _check_pattern(pattern: str, place: Place, notes: MistakeList) -> None:
    if not pattern:
        return
    try:
        compiled = re.compile(pattern)
    except re.error as fault:
        notes.note(
            f"pattern = {quote_value(pattern)} is not a regular expression: {fault.msg} at character "
            f"{(fault.pos or 0) + 1}",
            *place,
            "pattern",
        )
        return
    if compiled.match("") is not None:
        notes.note(f"pattern = {quote_value(pattern)} also matches the empty string", *place, "pattern")


def _check_names_differ(names: Sequence[str], table: str, notes: MistakeList) -> None:
    for name, n_times in Counter(names).items():
        if n_times > 1:
            last = len(names) - 1 - list(reversed(names)).index(name)
            notes.note(f'there are {n_times} called "{name}"', table, last, "name")


def _check_kind(kind: DeclaredKind, kinds: Sequence[DeclaredKind], place: Place, notes: MistakeList) -> None:
    names = [field.name for field in kind.fields]
    for name, n_times in Counter(names).items():
        if n_times > 1:
            last = len(names) - 1 - list(reversed(names)).index(name)
            notes.note(f'"{kind.name}" has {n_times} fields called "{name}"', *place, FIELD, last, "name")
        if name == SITE:
            notes.note(
                f'a field cannot be called "{SITE}": it stands for the site a record comes from',
                *place,
                FIELD,
                names.index(name),
                "name",
            )
    mentioned = [("title", kind.title)] + [("begins", kind.begins)] * bool(kind.begins)
    mentioned += [("subtitle", name) for name in kind.subtitle]
    mentioned += [("identity", name) for name in kind.identity if name != SITE]
    for where, name in mentioned:
        if name not in names:
            hint = format_hint(find_nearest(name, names))
            known = ", ".join(names) or "none"
            notes.note(f'{where}: there is no field "{name}"; fields: {known}{hint}', *place, where)
    _check_part_of(kind, kinds, place, notes)


def _check_part_of(
    kind: DeclaredKind, kinds: Sequence[DeclaredKind], place: Place, notes: MistakeList
) -> None:
    above = {each.name: each.part_of for each in kinds}
    if kind.part_of and kind.part_of not in above:
        hint = format_hint(find_nearest(kind.part_of, list(above)))
        notes.note(f'part_of: there is no record "{kind.part_of}"{hint}', *place, "part_of")
        return
    way = [kind.name]
    while above.get(way[-1]) and above[way[-1]] not in way:
        way.append(above[way[-1]])
    if above.get(way[-1]) == kind.name:
        notes.note(f"part_of goes in a circle: {' → '.join([*way, kind.name])}", *place, "part_of")
