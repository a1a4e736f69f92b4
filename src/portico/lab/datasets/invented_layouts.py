"""Layouts in which sites present their leadership: cards, tables, lists, paragraphs, profile pages."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from typing import Any

from portico.lab.datasets.invented_words import InventedWords


@dataclass(frozen=True, slots=True)
class InventedPerson:
    name: str
    role: str
    phone: str = ""
    fax: str = ""
    email: str = ""
    company: str = ""
    about: str = ""
    before: str = ""  # a title
    behind: str = ""  # degrees

    @property
    def printed(self) -> str:
        return escape(f"{self.before} {self.name}{self.behind}".strip())


class PageStyle:
    """The random style in which one page prints people."""

    def __init__(self, rng: Random, words: dict[str, Any], fake: InventedWords) -> None:
        self.rng, self.words, self.fake = rng, words, fake
        self.layout = rng.choice(LAYOUTS)
        self.heading = rng.choice(("h2", "h3", "h4", "h5", "strong", "b", "div", "p", "span", "a"))
        self.second = rng.choice(("p", "div", "span", "em", "h5", "h6", "div", "p"))
        self.roles = rng.random() < 0.88
        self.phones, self.faxes, self.emails = (rng.random() < chance for chance in (0.3, 0.15, 0.3))
        self.companies = rng.random() < 0.25
        self.about = rng.random() < 0.35
        self.more = rng.choice(words["more"]) if rng.random() < 0.35 else ""
        self.capitals = rng.random() < 0.12
        self.titles = rng.random() < 0.2
        self.degrees = rng.random() < 0.2
        self.breaks = rng.random() < 0.25
        self.group_tag = rng.choice(("h2", "h3", "h4", "strong", "p"))
        self.order = rng.random() < 0.75  # the name before the role
        # Directories are by surname: "Bell, Ann".
        self.turned = self.layout in TURNED_LAYOUTS and rng.random() < TURNED

    def one(self, tag: str, inner: str) -> str:
        if tag in ("span", "strong", "b", "em", "a"):
            attributes = ' href="/x"' if tag == "a" else ""
            return f"<div><{tag}{attributes}>{inner}</{tag}></div>"
        return f"<{tag}>{inner}</{tag}>"

    def role(self, role: str) -> str:
        """A role as printed, with a line break in it if the style has these."""
        text = escape(role)
        if self.breaks and ", " in text:
            return text.replace(", ", ",<br>", 1)
        words = text.split()
        if self.breaks and len(words) > 3:
            return " ".join(words[:-2]) + "<br>" + " ".join(words[-2:])
        return text


def print_people(
    rng: Random, words: dict[str, Any], style: PageStyle, people: Sequence[InventedPerson]
) -> str:
    """All people, in one list or in two under headings of departments."""
    if len(people) < 4 or rng.random() < 0.6:
        return style.layout(style, people)
    half = rng.randint(2, len(people) - 1)
    parts = []
    for group in (people[:half], people[half:]):
        parts += [
            f"<{style.group_tag}>{escape(rng.choice(words['groups']))}</{style.group_tag}>",
            style.layout(style, group),
        ]
    return "".join(parts)


def _reached(style: PageStyle, person: InventedPerson) -> str:
    """A person's telephone, fax and email, each on a line of its own."""
    words, out = style.words, []
    if person.phone:
        out.append(f"<p>{escape(style.rng.choice((*words['phone'], '')))} {escape(person.phone)}</p>")
    if person.fax:
        out.append(f"<p>{escape(style.rng.choice(words['fax']))} {escape(person.fax)}</p>")
    if person.email:
        out.append(f'<p><a href="mailto:{person.email}">{person.email}</a></p>')
    return "".join(out)


def _cards(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    out = []
    for person in people:
        name = style.one(style.heading, person.printed)
        role = style.one(style.second, style.role(person.role)) if person.role else ""
        company = style.one(style.second, escape(person.company)) if person.company else ""
        about = f"<p>{escape(person.about)}</p>" if person.about else ""
        more = f'<a href="/bio">{escape(style.more)}</a>' if style.more else ""
        first, second = (name, role) if style.order else (role, name)
        rest = f"{company}{_reached(style, person)}{about}{more}"
        out.append(f'<div class="card"><img src="x.jpg">{first}{second}{rest}</div>')
    return f"<div>{''.join(out)}</div>"


def _table(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    words = style.words
    columns: list[tuple[str, Callable[[InventedPerson], str]]] = [
        (words["name"], lambda person: person.printed),
        (words["role"], lambda person: escape(person.role)),
    ]
    if not style.order:
        columns.reverse()
    if style.companies:
        columns.append((words["company"], lambda person: escape(person.company)))
    if style.phones:
        columns.append((words["phone"][0], lambda person: escape(person.phone)))
    if style.faxes:
        columns.append((words["fax"][0], lambda person: escape(person.fax)))
    if style.emails:
        columns.append(("Email", lambda person: person.email))
    cell = style.rng.choice(("th", "td"))
    head = "".join(f"<{cell}>{escape(label)}</{cell}>" for label, _ in columns)
    rows = [
        "<tr>" + "".join(f"<td>{show(person)}</td>" for _, show in columns) + "</tr>" for person in people
    ]
    return f"<table>{f'<tr>{head}</tr>' if style.rng.random() < 0.7 else ''}{''.join(rows)}</table>"


def _lines(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    between = style.rng.choice((", ", " – ", " - ", ": ", " | ", ", ", " ("))
    out = []
    for person in people:
        first, second = person.printed, escape(person.role)
        if not style.order and between in (": ", " – ", " - "):
            first, second = second, first
        text = f"{first}{between}{second}" if first and second else first or second
        text += ")" if between == " (" and person.role else ""
        if person.company:
            text += f", {escape(person.company)}"
        out.append(text + _reached(style, person) if style.rng.random() < 0.9 else text)
    wrap = style.rng.choice(("li", "p", "br", "li"))
    if wrap == "br":
        return f"<p>{'<br>'.join(out)}</p>"
    return (
        f"<ul>{''.join(f'<li>{text}</li>' for text in out)}</ul>"
        if wrap == "li"
        else "".join(f"<p>{text}</p>" for text in out)
    )


def _paragraphs(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """Name and role in one paragraph, separated by a line break."""
    out = []
    for person in people:
        name = f"<strong>{person.printed}</strong>" if style.rng.random() < 0.8 else person.printed
        parts = [name, style.role(person.role)] if style.order else [style.role(person.role), name]
        parts += [escape(person.company)] if person.company else []
        if person.phone:
            parts.append(f"{escape(style.rng.choice(style.words['phone']))} {escape(person.phone)}")
        if person.email:
            parts.append(person.email)
        out.append(f"<p>{'<br>'.join(part for part in parts if part)}</p>")
        if person.about:
            out.append(f"<p>{escape(person.about)}</p>")
    return "".join(out)


def _definitions(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    out = []
    for person in people:
        first, second = (
            (person.printed, escape(person.role)) if style.order else (escape(person.role), person.printed)
        )
        out.append(
            f"<dt>{first}</dt><dd>{second}</dd>" if first and second else f"<dt>{first or second}</dt>"
        )
    return f"<dl>{''.join(out)}</dl>"


def _grid(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """Table cells with one person each, three in a row."""
    cells = [
        f"<td><b>{person.printed}</b><br>{style.role(person.role)}{_reached(style, person)}</td>"
        for person in people
    ]
    rows = [f"<tr>{''.join(cells[start : start + 3])}</tr>" for start in range(0, len(cells), 3)]
    return f"<table>{''.join(rows)}</table>"


def print_profile(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    (person,) = people
    about = "".join(f"<p>{escape(style.fake.paragraph(5))}</p>" for _ in range(3))
    role = style.one(style.second, style.role(person.role)) if person.role else ""
    return f"<h1>{person.printed}</h1>{role}{_reached(style, person)}<p>{escape(person.about)}</p>{about}"


def _directory(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """A table with all data of every person, often with shuffled columns."""
    rng, words = style.rng, style.words
    rooms = iter([f"{rng.choice('ABCDE')}{rng.choice(('', ' ', '-'))}{rng.randint(1, 480)}" for _ in people])
    columns: list[tuple[str, Callable[[InventedPerson], str]]] = [
        (words["name"], lambda person: f'<a href="/p">{person.printed}</a>'),
        (words["role"], lambda person: style.role(person.role)),
    ]
    others: list[tuple[str, Callable[[InventedPerson], str]]] = [
        ("Nr.", lambda person: next(rooms)),
        (words["phone"][0], lambda person: escape(person.phone)),
        ("Email", lambda person: person.email or words["more"][0]),
        (words["groups"][0], lambda person: escape(rng.choice(words["groups"]))),
    ]
    columns += rng.sample(others, rng.randint(1, len(others)))
    if rng.random() < SHUFFLED:
        rng.shuffle(columns)
    head = "".join(f"<th>{escape(label)}</th>" for label, _ in columns)
    rows = ["".join(f"<td>{show(person)}</td>" for _, show in columns) for person in people]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{f'<tr>{head}</tr>' if rng.random() < 0.6 else ''}{body}</table>"


def _offices(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """The role in one cell or box, the name with contact data in the next."""
    bold = style.rng.choice(("b", "strong", "span", "i"))
    table = style.rng.random() < 0.6
    out = []
    for person in people:
        office = f"<{bold}>{escape(person.role)}</{bold}>" if person.role else "&nbsp;"
        phone = f"<br>{escape(style.rng.choice(style.words['phone']))} {escape(person.phone)}"
        whole = (
            person.printed + (phone if person.phone else "") + (f"<br>{person.email}" if person.email else "")
        )
        cells = f"<td>{office}</td><td>{whole}</td>"
        out.append(f"<tr>{cells}</tr>" if table else f"<div><p>{office}</p><p>{whole}</p></div>")
    return f"<table>{''.join(out)}</table>" if table else "".join(out)


def _office_lines(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """One line per person: the role with a colon, a dash or dots, then the name."""
    rng = style.rng
    between = rng.choice((": ", ":</b> ", " – ", " - ", ": ", " .......... ", " … "))
    bold = "<b>" if "</b>" in between else ""
    years = rng.random() < 0.15
    out = []
    for person in people:
        text = f"{bold}{escape(person.role)}{between}{person.printed}" if person.role else person.printed
        out.append(text + (f" ({rng.randint(2001, 2024)})" if years else ""))
    wrap = rng.choice(("li", "p", "br", "pre"))
    if wrap in ("br", "pre"):
        return f"<p>{'<br>'.join(out)}</p>" if wrap == "br" else "<pre>" + "\n".join(out) + "</pre>"
    return "".join(f"<{wrap}>{text}</{wrap}>" for text in out)


def _spaced_lines(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """Columns made with spaces, whose ends only the words themselves reveal."""
    lines = []
    for person in people:
        pair = (escape(person.role), person.printed)
        first, second = pair[::-1] if style.order else pair
        lines.append(f"{first}     {second}{('     ' + escape(person.phone)) if person.phone else ''}")
    return "<pre>" + "\n".join(lines) + "</pre>"


def _inline(style: PageStyle, people: Sequence[InventedPerson]) -> str:
    """Name, role and telephone number as elements on one line, which only a style sheet would separate."""
    first, second = style.rng.choice((("span", "em"), ("b", "i"), ("a", "span"), ("strong", "span")))
    out = []
    for person in people:
        pair = [f"<{first}>{person.printed}</{first}>"]
        pair += [f"<{second}>{escape(person.role)}</{second}>"] if person.role else []
        out.append(" ".join((*pair, f"<span>{escape(person.phone)}</span>" if person.phone else "")))
    wrap = style.rng.choice(("li", "div", "summary"))
    return "".join(f"<{wrap}>{text}</{wrap}>" for text in out)


TURNED_LAYOUTS = (_directory, _table, _cards, _definitions)
TURNED, SHUFFLED = 0.25, 0.5

LAYOUTS = (
    _directory,
    _directory,
    _offices,
    _offices,
    _office_lines,
    _office_lines,
    _office_lines,
    _spaced_lines,
    _inline,
    _cards,
    _cards,
    _cards,
    _cards,
    _table,
    _table,
    _lines,
    _lines,
    _paragraphs,
    _paragraphs,
    _definitions,
    _grid,
    print_profile,
)
