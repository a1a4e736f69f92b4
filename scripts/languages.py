"""Brings the catalogs of the interface's languages up to date with the texts of pages and scripts.

    .venv/bin/python scripts/languages.py            write .po and .mo; what is new in them is untranslated
    .venv/bin/python scripts/languages.py --check    say what is missing or out of date, and end with 1

Catalogs are in src/portico/serve/locale: one .po a language, for translators, and the .mo made of it, which
is what a portal reads. Texts of the builder's view and of `portico teach` stay in English.
"""

import ast
import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment, nodes

from portico.config.settings import LANGUAGES
from portico.serve.template_texts import list_script_texts
from portico.text.languages import LANGUAGE_NAMES

SERVE = Path(__file__).resolve().parents[1] / "src" / "portico" / "serve"
CATALOGS = SERVE / "locale"
_ENGLISH_ALONE = ("builder", "teach")  # folders and beginnings of templates
_WIDTH = 110
_PLACEHOLDER, _TAG = re.compile(r"\{\w+\}"), re.compile(r"</?\w+[^>]*>")


class Text(NamedTuple):
    """A text to be translated, its plural or nothing, and where it stands."""

    one: str
    many: str
    place: str


def find_texts() -> list[Text]:
    """All texts of public pages, scripts and messages, in the order of files."""
    found = [*_read_templates(), *_read_code(), *_read_scripts()]
    found += [Text(name, "", "text/languages.py") for name in LANGUAGE_NAMES.values()]
    once: dict[str, Text] = {}
    for text in found:
        if not once.get(text.one) or text.many:
            once[text.one] = text
    return list(once.values())


def _read_templates() -> Iterator[Text]:
    templates = Environment(autoescape=True)
    for path in sorted((SERVE / "templates").rglob("*.html")):
        if path.name.startswith(_ENGLISH_ALONE):
            continue
        place = path.relative_to(SERVE).as_posix()
        tree = templates.parse(path.read_text(encoding="utf-8"))
        for call in tree.find_all(nodes.Call):
            if isinstance(call.node, nodes.Name) and call.node.name == "_":
                yield Text(_read_constant(call.args[0]), "", place)
        for counted in tree.find_all(nodes.Filter):
            if counted.name == "counted":
                yield Text(_read_constant(counted.args[0]), _read_constant(counted.args[1]), place)


def _read_constant(node: nodes.Node) -> str:
    if not isinstance(node, nodes.Const):
        raise SystemExit(
            f"line {node.lineno}: a text to be translated stands there as it is, without a variable"
        )
    return str(node.value)


_FIRST = {"translate": 0, "mark": 0, "QueryNotice": 0, "MistakenForm": 0, "HTTPException": 1}


def _read_code() -> Iterator[Text]:
    paths = [path for path in sorted(SERVE.rglob("*.py")) if path.parent.name not in _ENGLISH_ALONE]
    paths += sorted((SERVE.parent / "index").glob("*.py"))
    for path in paths:
        place = path.relative_to(SERVE.parent).as_posix()
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            said = [arg.value if isinstance(arg, ast.Constant) else None for arg in call.args]
            at = _FIRST.get(call.func.id, len(said))
            if at < len(said) and isinstance(said[at], str):
                yield Text(said[at], "", place)
            if call.func.id == "translate_count" and isinstance(said[0], str) and isinstance(said[1], str):
                yield Text(said[0], said[1], place)


def _read_scripts() -> Iterator[Text]:
    for path in sorted((SERVE / "static").glob("*.js")):
        for one, many in list_script_texts(path.read_text(encoding="utf-8")):
            yield Text(one, many, path.relative_to(SERVE).as_posix())


def make_catalog(code: str, texts: list[Text]) -> Catalog:
    """The texts with the translations there are."""
    path = CATALOGS / f"{code}.po"
    known = Catalog(locale=code)
    if path.exists():
        with path.open("rb") as file:
            known = read_po(file, locale=code)
    made = Catalog(
        locale=code, project="Portico", charset="utf-8", fuzzy=False, last_translator="", language_team=""
    )
    made.header_comment = f"# {made.locale.english_name} texts of Portico's pages."
    for text in texts:
        old = known.get(text.one)
        forms = old.string if old else ""
        if text.many:
            forms = forms if isinstance(forms, tuple) else ("",) * made.num_plurals
            made.add((text.one, text.many), forms, locations=[(text.place, None)])
        else:
            made.add(text.one, forms if isinstance(forms, str) else "", locations=[(text.place, None)])
    return made


_KEPT_HEADERS = re.compile(r'"(?:Language:|Plural-Forms|MIME-Version|Content-)')


def write_catalogs(catalog: Catalog) -> tuple[bytes, bytes]:
    """As .po and as .mo, without the day on which they were written: the same texts give the same files."""
    catalog.creation_date = catalog.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    po, mo = io.BytesIO(), io.BytesIO()
    write_po(po, catalog, width=_WIDTH)
    write_mo(mo, catalog)
    head, behind, messages = po.getvalue().decode().partition("\n\n")
    lines = [
        line for line in head.split("\n") if not re.match(r'"\w[\w-]+: ', line) or _KEPT_HEADERS.match(line)
    ]
    return ("\n".join(lines) + behind + messages).encode(), mo.getvalue()


def find_faults(code: str, texts: list[Text]) -> Iterator[str]:
    """What is not translated, or says something else by its placeholders and markup."""
    catalog = make_catalog(code, texts)
    for text in texts:
        message = catalog[text.one]
        forms = message.string if isinstance(message.string, tuple) else (message.string,)
        for form in forms:
            if not form:
                yield f"{code}: {text.place}: not translated: {text.one!r}"
            elif _list_parts(form) not in (_list_parts(text.one), _list_parts(text.many or text.one)):
                yield f"{code}: {text.place}: other placeholders or markup: {text.one!r} and {form!r}"
    po, mo = (CATALOGS / f"{code}{ending}" for ending in (".po", ".mo"))
    written = write_catalogs(catalog)
    for path, body in zip((po, mo), written, strict=True):
        if not path.exists() or path.read_bytes() != body:
            yield f"{path.name} is out of date; run scripts/languages.py"


def _list_parts(text: str) -> list[str]:
    return sorted(
        [
            *_PLACEHOLDER.findall(text),
            *_TAG.findall(text),
            *('"' for _ in re.findall('"', _TAG.sub("", text))),
        ]
    )


def main() -> int:
    texts = find_texts()
    if "--check" in sys.argv:
        faults = [fault for code in LANGUAGES[1:] for fault in find_faults(code, texts)]
        sys.stdout.write(("\n".join(faults) or f"{len(texts)} texts in {len(LANGUAGES)} languages") + "\n")
        return 1 if faults else 0
    CATALOGS.mkdir(exist_ok=True)
    for code in LANGUAGES[1:]:
        catalog = make_catalog(code, texts)
        po, mo = write_catalogs(catalog)
        (CATALOGS / f"{code}.po").write_bytes(po)
        (CATALOGS / f"{code}.mo").write_bytes(mo)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
