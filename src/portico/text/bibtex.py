"""BibTeX: one entry as text that BibTeX 0.99 and biber both read, and a sensible key for it.

Accents stay as they are (UTF-8 is what LaTeX has read by default since 2018, and BibTeX passes it
through); only what TeX would take for a command is escaped.
"""

import re
from collections.abc import Mapping, Sequence

from portico.text.names import PARTICLES, fold, fold_letters, parse_cited_name, split_names

KINDS = (
    "article", "book", "booklet", "inbook", "incollection", "inproceedings", "manual", "mastersthesis",
    "misc", "phdthesis", "proceedings", "techreport", "unpublished",
)  # fmt: skip
"""The entry types every BibTeX style knows."""


def format_bibtex(key: str, kind: str, fields: Mapping[str, str], authors: Sequence[str]) -> str:
    """One entry, ending in a newline. An unknown kind becomes `misc`; empty values are left out.

    Values are plain text as people read it, not TeX: everything special in them is escaped here.
    """
    safe_kind = kind.lower() if kind.lower() in KINDS else "misc"
    lines = [f"@{safe_kind}{{{_safe_key(key)},"]
    people = _author_list(authors)
    if people:
        lines.append(f"  author = {{{people}}},")
    for name, value in fields.items():
        safe_name = _NOT_IN_NAMES.sub("", name.lower())
        text = _field_text(safe_name, value)
        if safe_name and text:
            lines.append(f"  {safe_name} = {{{text}}},")
    return "\n".join([*lines, "}"]) + "\n"


def make_citation_key(authors: Sequence[str], year: str | int | None, title: str) -> str:
    """Surname, year and first telling word of the title: `mccallum2000automating`.

    Letters and digits of ASCII alone; the caller makes keys unique within a list.
    """
    names = [name for author in authors for name in split_names(author)]
    surname = _ascii(parse_cited_name(names[0]).surname) if names else ""
    digits = re.sub(r"\D", "", str(year or ""))[:4]
    words = [word for word in (_ascii(word) for word in _WORD.findall(title)) if word]
    telling = next((word for word in words if word not in _EMPTY_WORDS), words[0] if words else "")
    return f"{surname or 'anonymous'}{digits}{telling}"[:_LONGEST_KEY]


def choose_entry_kind(fields: Mapping[str, str]) -> str:
    """The entry type that fits what is known: a paper with a journal is an article, and so on."""
    venue = fold(
        " ".join(fields.get(name, "") for name in ("booktitle", "journal", "venue", "institution", "tech"))
    )
    for kind, pattern in _KIND_SIGNS:
        if pattern.search(venue):
            return kind
    if fields.get("booktitle"):
        return "inproceedings"
    if fields.get("journal"):
        return "article"
    return "book" if fields.get("publisher") else "misc"


_LONGEST_KEY = 60  # characters: longer keys are a nuisance to type and no clearer
_NOT_IN_NAMES = re.compile(r"[^a-z-]")
_NOT_IN_KEYS = re.compile(r"[^A-Za-z0-9:._/+-]")
_WORD = re.compile(r"[^\W_]+")
_EMPTY_WORDS = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "how", "in", "is", "of", "on", "or", "the", "to", "toward",
     "towards", "using", "with", "what", "why"}
)  # fmt: skip

# Read verbatim by \url and by biber: escaping would end up in the address.
_VERBATIM = frozenset({"url", "doi", "eprint", "file"})
_URL_UNSAFE = {
    "{": "%7B",
    "}": "%7D",
    "\\": "%5C",
    " ": "%20",
    "^": "%5E",
    '"': "%22",
    "<": "%3C",
    ">": "%3E",
}

# Braces are spelled out because BibTeX counts \{ as an opening brace.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\textquotedbl}",
    "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''", "\u00a0": "~", "\u00ad": "",
}  # fmt: skip
_SPECIAL_CHAR = re.compile("|".join(re.escape(char) for char in _SPECIAL))
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff\ud800-\udfff]+")

# Styles put titles into lower case: words with a capital inside, or a capital alone, are protected.
# A word is looked at from its beginning alone, so that a very long one takes no longer than many short ones.
_PROTECTED = re.compile(r"(?<![^\W_])(?:[^\W_]+?[A-Z][^\W_]*|[B-Z](?![^\W_]))")

_KIND_SIGNS = (
    ("phdthesis", re.compile(r"ph\.? ?d|doctoral|dissertation")),
    ("mastersthesis", re.compile(r"master'?s|m\.? ?sc\.? thesis")),
    ("techreport", re.compile(r"technical report|tech\.? ?rep|research report|\btr\b|working paper")),
    ("inproceedings", re.compile(r"\bproc|conference|workshop|symposium|meeting|advances in neural")),
    ("article", re.compile(r"journal|transactions|letters|magazine|review|annals|\bj\.|trans\.")),
)


def _safe_key(key: str) -> str:
    return _NOT_IN_KEYS.sub("", fold(key)) or "unnamed"


def _ascii(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", fold(text))


def _field_text(name: str, value: str) -> str:
    text = " ".join(_CONTROL.sub(" ", value).split())
    if name in _VERBATIM:
        return "".join(_URL_UNSAFE.get(char, char) for char in text)
    if name == "pages":
        text = re.sub(r"\s*[-‐-―−]+\s*", "–", text)
    escaped = _escape(text)
    return _protect_capitals(text) if name in ("title", "booktitle") else escaped


def _escape(text: str) -> str:
    return _SPECIAL_CHAR.sub(lambda match: _SPECIAL[match.group()], text)


def _protect_capitals(text: str) -> str:
    """The escaped title, with braces around what must keep its capitals.

    A title printed in capitals throughout is left alone: nothing in it tells names from words.
    """
    if text.isupper():
        return _escape(text)
    pieces: list[str] = []
    end = 0
    for match in _PROTECTED.finditer(text):
        pieces += [_escape(text[end : match.start()]), "{", match.group(), "}"]
        end = match.end()
    return "".join(pieces) + _escape(text[end:])


def _author_list(authors: Sequence[str]) -> str:
    names: list[str] = []
    for author in authors:
        cleaned = " ".join(_CONTROL.sub(" ", author).split())
        if re.fullmatch(r"(?:and )?(?:et\.? al\.?|others)", cleaned, re.IGNORECASE):
            names.append("others")
        elif fold_letters(cleaned):
            names.append(_author(cleaned))
    return " and ".join(names)


def _author(name: str) -> str:
    """One name in the form BibTeX cannot misread: "Surname, Jr., Given", or braced as a whole."""
    if re.search(r"\band\b", name, re.IGNORECASE) or "&" in name:
        return "{" + _escape(name) + "}"
    person = parse_cited_name(name)
    if not person.given and " " in person.surname and person.surname.split()[0] not in PARTICLES:
        return "{" + _escape(person.surname) + "}"
    parts = [person.surname, person.suffix, " ".join(person.given)] if person.suffix else []
    parts = parts or [person.surname, " ".join(person.given)]
    return ", ".join(_escape(part.replace(",", " ").strip()) for part in parts if part.strip())
