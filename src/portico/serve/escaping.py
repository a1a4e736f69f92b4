"""Text from outside becomes part of a page: nothing in it runs, hides, or turns other text around."""

import re
import unicodedata

from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Expr
from markupsafe import Markup, escape

_SPECIAL = re.compile("[&<>'\"]").search
# Control characters, embeddings, overrides and isolates (left open, they turn the rest of a line around),
# and halves of characters, which cannot be sent.
_HIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]").search


def visible(value: object) -> object:
    """Text without characters that change how other text is shown, or cannot be sent."""
    if type(value) is not str and (isinstance(value, Markup) or not isinstance(value, str)):
        return value
    if value.isascii() and value.isprintable():
        return value
    return value.translate(_SHOWN) if _HIDDEN(value) else value


def written(value: object) -> Markup:
    """A value as it stands in a page. Asked hundreds of times a page, so the commonest answer comes first."""
    if type(value) is str:
        if not (value.isascii() and value.isprintable()) and _HIDDEN(value):
            value = value.translate(_SHOWN)
        return _as_markup(Markup, value) if _SPECIAL(value) is None else escape(value)
    return value if type(value) is Markup else escape(visible(value))


# What calling Markup comes to for a string, in a third of the time.
_as_markup = str.__new__


class WrittenOnce(CodeGenerator):
    """Templates whose `finalize` escapes as well: one call for each value where Jinja would make three."""

    def _output_child_pre(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        assert finalize.src is not None, "the environment has a finalize function"
        self.write(finalize.src)

    def _output_child_post(self, node: Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        self.write(")")


class _Shown(dict[int, str]):
    """Control characters become spaces; direction overrides and halves of characters go."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        if character in "\n\t":
            shown = character
        elif category == "Cc":
            shown = " "
        elif category == "Cs":
            shown = "\ufffd"
        else:
            shown = "" if unicodedata.bidirectional(character) in _OVERRIDES else character
        self[code] = shown
        return shown


_OVERRIDES = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_SHOWN = _Shown()
