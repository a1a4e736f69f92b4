"""First pages in the styles of conferences, journals and reports: title, authors, affiliations, abstract."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from portico.sample.manuscript import Manuscript
from portico.sample.people import DEPARTMENTS, Department, FictitiousPerson
from portico.sample.printing.pdf import Face
from portico.sample.printing.typesetting import (
    HELVETICA,
    TYPEWRITER,
    Family,
    Paragraph,
    Strip,
    TypedText,
    measure_line,
    set_line,
    set_paragraph,
    set_plain,
)


@dataclass(frozen=True, slots=True)
class Front:
    """The parts of a first page: across the page, at the top of the columns, and at the foot."""

    across: tuple[Strip, ...]
    column: tuple[Strip, ...] = ()
    foot: tuple[Strip, ...] = ()
    own_page: bool = False  # whether the text begins on the next page


@dataclass(frozen=True, slots=True)
class Sizes:
    """The fonts and dimensions of a first page, in points."""

    family: Family
    width: float
    column: float
    size: float  # of the body
    leading: float


FrontMaker = Callable[[Manuscript, Sizes], Front]


def article_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """LaTeX's article: large centered title, authors side by side, the date, a centered abstract."""
    family = sizes.family
    across = [
        Strip(30),
        *_center(manuscript.work.title, family.regular, 17.2, 21, sizes),
        Strip(14),
        *_author_blocks(manuscript.work.authors, family, 12, sizes.width, italic=False),
        Strip(12),
        *_center(f"{manuscript.work.month} {manuscript.work.year}", family.regular, 12, 14, sizes),
        Strip(22),
        *_center("Abstract", family.bold, 9, 14, sizes),
        *set_paragraph(
            Paragraph(set_plain(manuscript.abstract, family.regular, 9), 11, first=14, left=24, right=24),
            sizes.width,
        ),
        Strip(16),
    ]
    return Front(tuple(across))


def conference_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """Two columns: bold centered title, author blocks with italic affiliations, an italic abstract."""
    family = sizes.family
    across = [
        *_reprint_note(manuscript, sizes),
        Strip(14),
        *_center(manuscript.work.title, family.bold, 16, 19, sizes),
        Strip(12),
        *_author_blocks(manuscript.work.authors, family, 11, sizes.width, italic=True),
        Strip(26),
    ]
    column = [
        *_heading_centered("Abstract", family.bold_italic, 12, sizes),
        *_column_text(manuscript.abstract, family.italic, sizes),
        Strip(10),
    ]
    return Front(tuple(across), tuple(column))


def proceedings_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """Two columns: bold title, the authors on one line, affiliations and e-mail in braces under them."""
    family = sizes.family
    authors = manuscript.work.authors
    across = [
        Strip(6),
        *_center(manuscript.work.title, family.bold, 15.5, 18, sizes),
        Strip(12),
        *_center(join_names([author.full_name for author in authors]), family.bold, 12, 15, sizes),
        Strip(2),
    ]
    for department in _departments(authors):
        for line in (department.name, department.university, department.address):
            across += _center(line, family.regular, 10, 12, sizes)
        across += _center(_emails(authors, department), TYPEWRITER, 9, 12, sizes)
        across.append(Strip(3))
    column = [
        *_heading_centered("Abstract", family.bold, 11, sizes),
        *_column_text(manuscript.abstract, family.regular, sizes, inset=10, size=9),
        Strip(10),
    ]
    return Front((*across, Strip(18)), tuple(column))


def report_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """A cover: department, title, authors, number and date, and the abstract. The text starts on the next
    page.
    """
    family = sizes.family
    work = manuscript.work
    home = find_department(work.department)
    number = (
        work.venue.full
        if work.venue.kind == "report"
        else f"Technical Report {home.report_prefix}-{work.year % 100:02d}"
    )
    across = [
        *_flush(home.university, family.bold, 13, 16, sizes),
        *_flush(home.name, family.regular, 11, 14, sizes),
        Strip(90),
        *_flush(work.title, family.bold, 20, 25, sizes),
        Strip(18),
        *_flush(", ".join(author.full_name for author in work.authors), family.regular, 13, 17, sizes),
        Strip(18),
        *_flush(number, family.regular, 11, 14, sizes),
        *_flush(f"{work.month} {work.year}", family.regular, 11, 14, sizes),
        Strip(50),
        *_flush("Abstract", family.bold, 12, 18, sizes),
        *set_paragraph(Paragraph(set_plain(manuscript.abstract, family.regular, 10), 13), sizes.width),
        Strip(24),
        *_flush(home.address, family.italic, 10, 12, sizes),
    ]
    return Front(tuple(across), own_page=True)


def journal_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """A journal: flush sans-serif title, authors with e-mail, affiliations, run-in abstract, dates."""
    family = sizes.family
    work = manuscript.work
    across = [*_flush(work.title, HELVETICA.bold, 17, 21, sizes), Strip(14)]
    for department in _departments(work.authors):
        for author in (person for person in work.authors if person.department == department.key):
            name = set_line(set_plain(author.full_name, family.regular, 11), 0)
            email = set_plain(_email(author), family.regular, 9)
            across.append(Strip(14, name + set_line(email, sizes.width - measure_line(email))))
        where = f"{department.name}, {department.university}, {department.address}"
        across += _flush(where, family.italic, 9, 12, sizes)
        across.append(Strip(5))
    across += [
        Strip(10),
        *_run_in("Abstract.", manuscript.abstract, sizes, inset=0),
        Strip(6),
        *_run_in("Keywords:", ", ".join(manuscript.keywords), sizes, inset=0),
        Strip(18),
    ]
    note = f"Received {work.month} 3, {work.year - 1}; accepted {work.month} 21, {work.year}."
    return Front(tuple(across), foot=_footnotes([("", note)], sizes))


def lecture_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """Lecture notes: bold title, authors with raised numbers, numbered affiliations, indented abstract."""
    family = sizes.family
    authors = manuscript.work.authors
    homes = _departments(authors)
    numbers = {home.key: str(idx + 1) for idx, home in enumerate(homes)} if len(homes) > 1 else {}
    names = _marked_names(authors, numbers, family, 11)
    across = [
        Strip(24),
        *_center(manuscript.work.title, family.bold, 14.3, 18, sizes),
        Strip(14),
        *set_paragraph(Paragraph(names, 14, "center"), sizes.width),
        Strip(8),
    ]
    for idx, home in enumerate(homes):
        number = set_plain(f"{idx + 1} ", family.regular, 6) if len(homes) > 1 else ()
        raised = tuple(replace(mark, rise=3) for mark in number)
        where = (*raised, *set_plain(f"{home.name}, {home.university}", family.regular, 9))
        across += set_paragraph(Paragraph(where, 11, "center"), sizes.width)
        across += _center(home.address, family.regular, 9, 11, sizes)
        across += _center(_emails(authors, home), TYPEWRITER, 8.5, 11, sizes)
    across += [Strip(22), *_run_in("Abstract.", manuscript.abstract, sizes, inset=28), Strip(18)]
    return Front(tuple(across))


def society_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """Two columns: sans-serif title, author blocks, ABSTRACT and Keywords as headings, a permission note."""
    family = sizes.family
    across = [
        *_center(manuscript.work.title, HELVETICA.bold, 18, 22, sizes),
        Strip(12),
        *_author_blocks(manuscript.work.authors, HELVETICA, 11, sizes.width, italic=False),
        Strip(24),
    ]
    column = [
        *_flush("ABSTRACT", family.bold, 11, 14, sizes),
        *_column_text(manuscript.abstract, family.regular, sizes),
        Strip(9),
        *_flush("Keywords", family.bold, 11, 14, sizes),
        *_column_text(", ".join(manuscript.keywords), family.regular, sizes),
        Strip(9),
    ]
    note = (
        "Permission to make copies of this work for personal or classroom use is granted without fee "
        f"provided that copies bear this notice. "
        f"{manuscript.work.venue.acronym or 'Printed'} {manuscript.work.year}."
    )
    return Front(tuple(across), tuple(column), _footnotes([("", note)], sizes))


def workshop_front(manuscript: Manuscript, sizes: Sizes) -> Front:
    """One column: bold title, authors with footnote marks, affiliations as footnotes, flush abstract."""
    family = sizes.family
    authors = manuscript.work.authors
    homes = _departments(authors)
    marks = dict(zip((home.key for home in homes), "*†‡", strict=False))
    names = _marked_names(authors, marks, family, 12)
    across = [
        Strip(10),
        *_center(manuscript.work.title, family.bold, 16, 20, sizes),
        Strip(14),
        *set_paragraph(Paragraph(names, 15, "center"), sizes.width),
        Strip(6),
        *_center(f"{manuscript.work.month} {manuscript.work.year}", family.regular, 10, 13, sizes),
        Strip(18),
        *_flush("Abstract", family.bold, 12, 16, sizes),
        *_column_text(manuscript.abstract, family.italic, sizes),
        Strip(14),
    ]
    notes = [
        (marks[home.key], f"{home.name}, {home.university}, {home.address}. E-mail: {_emails(authors, home)}")
        for home in homes
    ]
    return Front(tuple(across), foot=_footnotes(notes, sizes))


def find_department(key: str) -> Department:
    return next(department for department in DEPARTMENTS if department.key == key)


def join_names(names: list[str]) -> str:
    """The names as "A", "A and B" or "A, B and C"."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _marked_names(
    authors: tuple[FictitiousPerson, ...], marks: dict[str, str], family: Family, size: float
) -> tuple[TypedText, ...]:
    """The authors in one line, each followed by the raised mark of the department, if it has one."""
    types: list[TypedText] = []
    for idx, author in enumerate(authors):
        if idx:
            last = idx == len(authors) - 1
            types.append(TypedText(" and " if last else ", ", family.regular, size))
        types.append(TypedText(author.full_name, family.regular, size))
        types.append(TypedText(marks.get(author.department, ""), family.regular, size - 4, rise=4))
    return tuple(types)


def _departments(authors: tuple[FictitiousPerson, ...]) -> list[Department]:
    return [find_department(key) for key in dict.fromkeys(author.department for author in authors)]


def _email(author: FictitiousPerson) -> str:
    return f"{author.login}@{find_department(author.department).host.removeprefix('www.')}"


def _emails(authors: tuple[FictitiousPerson, ...], department: Department) -> str:
    logins = [author.login for author in authors if author.department == department.key]
    inside = logins[0] if len(logins) == 1 else "{" + ",".join(logins) + "}"
    return f"{inside}@{department.host.removeprefix('www.')}"


def _center(text: str, face: Face, size: float, leading: float, sizes: Sizes) -> list[Strip]:
    return set_paragraph(Paragraph(set_plain(text, face, size), leading, "center"), sizes.width)


def _flush(text: str, face: Face, size: float, leading: float, sizes: Sizes) -> list[Strip]:
    return set_paragraph(Paragraph(set_plain(text, face, size), leading, "left", keep=True), sizes.width)


def _heading_centered(text: str, face: Face, size: float, sizes: Sizes) -> list[Strip]:
    return set_paragraph(Paragraph(set_plain(text, face, size), size + 5, "center", keep=True), sizes.column)


def _column_text(
    text: str, face: Face, sizes: Sizes, *, inset: float = 0.0, size: float = 0.0
) -> list[Strip]:
    size = size or sizes.size
    leading = sizes.leading * size / sizes.size
    return set_paragraph(
        Paragraph(set_plain(text, face, size), leading, left=inset, right=inset), sizes.column
    )


def _run_in(head: str, text: str, sizes: Sizes, *, inset: float) -> list[Strip]:
    types = (TypedText(f"{head} ", sizes.family.bold, 9), TypedText(text, sizes.family.regular, 9))
    return set_paragraph(Paragraph(types, 11, left=inset, right=inset), sizes.width)


def _reprint_note(manuscript: Manuscript, sizes: Sizes) -> list[Strip]:
    venue = manuscript.work.venue
    if venue.kind != "conference" or len(manuscript.abstract) % 2:
        return []
    note = f"In Proceedings of the {venue.ordinal} {venue.full}, {venue.place}, {manuscript.work.year}"
    return _center(note, sizes.family.italic, 9, 12, sizes)


def _footnotes(notes: list[tuple[str, str]], sizes: Sizes) -> tuple[Strip, ...]:
    strips = [Strip(10), Strip(4, drawing=b"0.4 w 0 4 m 70 4 l S\n"), Strip(5)]
    for mark, note in notes:
        types = (TypedText(mark, sizes.family.regular, 6, rise=3), TypedText(note, sizes.family.regular, 8))
        strips += set_paragraph(Paragraph(types, 9.5, "left"), sizes.column)
    return tuple(strips)


def _author_blocks(
    authors: tuple[FictitiousPerson, ...], family: Family, size: float, width: float, *, italic: bool
) -> list[Strip]:
    """As many authors side by side as fit, with affiliation and e-mail centered under each name."""
    blocks = [_author_lines(author, family, size, italic=italic) for author in authors]
    widest = max(measure_line(types) for block in blocks for types in block)
    n_abreast = max(1, min(3, int(width / (widest + 12))))
    strips: list[Strip] = []
    for start in range(0, len(blocks), n_abreast):
        row = blocks[start : start + n_abreast]
        cell = width / len(row)
        for line in zip(*row, strict=True):
            runs = tuple(
                run
                for idx, types in enumerate(line)
                for run in set_line(types, idx * cell + (cell - measure_line(types)) / 2)
            )
            strips.append(Strip(size + 2.5, runs))
        strips.append(Strip(6))
    return strips


def _author_lines(
    author: FictitiousPerson, family: Family, size: float, *, italic: bool
) -> list[tuple[TypedText, ...]]:
    home = find_department(author.department)
    face = family.italic if italic else family.regular
    small = size - 1.5 if len(home.name) < 36 else size - 3
    return [
        set_plain(author.full_name, family.regular, size),
        set_plain(home.name, face, small),
        set_plain(home.university, face, small),
        set_plain(home.address, face, small),
        set_plain(_email(author), face, small),
    ]
