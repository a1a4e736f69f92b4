"""Texts in templates and scripts: found in the source, and translated before a page is made.

In templates, `_("Results for {query}", query=link)` is a text that may contain markup; its values are escaped
unless they are markup, too. `n|counted("{n} paper", "{n} papers")` is a text with a number. Scripts use
`say("…", {name: value})` and `say_count(n, "…", "…")` for the same.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import cast

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup, escape

from portico.serve.languages import Language

_STRING = r'"((?:[^"\\]|\\.)*)"'
_SAID = re.compile(rf"\bsay\(\s*{_STRING}")
_COUNTED = re.compile(rf"\bsay_count\([^\"]*?,\s*{_STRING},\s*{_STRING}")
_TABLE = "/* TEXTS */ {}"


class TranslatedTexts(Extension):
    """Replaces `_("text")` by its translation when a template is compiled, so that rendering takes no
    longer.
    """

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        language = cast("Language", self.environment.language)  # type: ignore[attr-defined]  # Environment.extend
        tokens = iter(stream)
        for token in tokens:
            if token.type != "name" or token.value != "_" or stream.current.type != "lparen":
                yield token
                continue
            line = token.lineno
            next(tokens)
            text = ""
            while stream.current.type == "string":
                text += next(tokens).value
            # "text"|fill(name=value)
            yield Token(line, "string", language.translate(text))
            yield from (Token(line, "pipe", "|"), Token(line, "name", "fill"), Token(line, "lparen", "("))
            if stream.current.type == "comma":
                next(tokens)


def fill(text: str, **values: object) -> Markup:
    """The text as markup, with its placeholders filled in. Values are escaped unless they are markup,
    too.
    """
    if not values:
        return Markup(text)  # noqa: S704 — texts of templates and catalogs are ours
    return Markup(text.format(**{name: escape(value) for name, value in values.items()}))  # noqa: S704


def make_counted(language: Language) -> Callable[..., Markup]:
    def count(n: int, one: str, many: str, **values: object) -> Markup:
        return fill(language.translate_count(one, many, n), **values)

    return count


def list_script_texts(script: str) -> Iterator[tuple[str, str]]:
    """The texts of a script, each with its plural, or "" if it has none."""
    yield from ((_unquote(text), "") for text in _SAID.findall(script))
    yield from ((_unquote(one), _unquote(many)) for one, many in _COUNTED.findall(script))


def _unquote(text: str) -> str:
    return str(json.loads(f'"{text}"'))


def write_words(script: str, language: Language, files: Mapping[str, bytes]) -> bytes:
    """The script from which the others get their texts, containing all of these in one language."""
    scripts = (body.decode() for name, body in files.items() if name.endswith(".js"))
    texts = {key: forms for key, forms in _translate_all(scripts, language) if forms and forms != [key]}
    return script.replace(_TABLE, json.dumps(texts, ensure_ascii=False)).encode()


def _translate_all(scripts: Iterable[str], language: Language) -> Iterator[tuple[str, list[str]]]:
    for script in scripts:
        for one, many in list_script_texts(script):
            if many:
                # In Western European languages, all numbers but 1 (and 0, in French) have the same form as 2.
                forms = [language.texts.ngettext(one, many, n) for n in (1, 2)]
                yield one, [] if forms == [one, many] else forms
            else:
                yield one, [language.translate(one)]
