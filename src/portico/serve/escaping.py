"""Text from outside becomes part of a page: nothing in it runs, hides, or turns other text around."""

import re
import unicodedata
from collections.abc import Callable, MutableMapping
from typing import Any

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.utils import missing
from markupsafe import Markup, escape

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


def written(value: object) -> str:
    """A value as it stands in a page. Asked hundreds of times a page, so the commonest answers come first."""
    if type(value) is str:
        if not (value.isascii() and value.isprintable()) and _HIDDEN(value):
            value = value.translate(_SHOWN)
        # What markupsafe's `escape` comes to, in half the time: the page, not each value, becomes Markup.
        escaped = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return escaped.replace("'", "&#39;").replace('"', "&#34;")
    if type(value) is int:
        return str(value)
    return value if type(value) is Markup else escape(visible(value))


def macro(write: Callable[..., str], names: tuple[str, ...]) -> Callable[..., Markup]:
    """A macro as a function; `write` takes every argument in its place, `missing` where none is given."""

    def called(*given: object, **named: object) -> Markup:
        if len(given) < len(names):
            given += tuple([named.pop(name, missing) for name in names[len(given) :]])
        if named:
            raise TypeError(f"the macro takes {', '.join(names)}, and not {', '.join(named)}")
        return str.__new__(Markup, write(*given))  # it is plain text already: nothing need be asked of it

    return called


class WrittenOnce(CodeGenerator):
    """Templates as plain Python: a third of the time of Jinja's own, which is made for any template at all.

    `finalize` escapes as well, so that each value takes one call instead of three. What stands behind a dot
    is an attribute, never a key of a mapping, and macros are called as functions are: no function of ours
    asks for Jinja's context.
    """

    def _output_child_pre(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        assert finalize.src is not None, "the environment has a finalize function"
        self.write(finalize.src)

    def _output_child_post(
        self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo
    ) -> None:
        self.write(")")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 — Jinja names it
        if isinstance(node.node, nodes.Name) and node.node.name == "self":
            super().visit_Getattr(node, frame)  # blocks, which Jinja keeps in a mapping
            return
        self.write("(")
        self.visit(node.node, frame)
        self.write(f").{node.attr}")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        if macro_ref.accesses_caller or macro_ref.accesses_kwargs or macro_ref.accesses_varargs:
            super().macro_def(macro_ref, frame)
            return
        names = tuple([argument.name for argument in macro_ref.node.args])
        self.write(f"environment.macro(macro, {names!r})")

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802
        if forward_caller or node.dyn_args or node.dyn_kwargs:
            super().visit_Call(node, frame, forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for argument in (*node.args, *node.kwargs):
            self.visit(argument, frame)
            self.write(", ")
        self.write(")")


class Templates(Environment):
    """Jinja's, with our own escaping."""

    code_generator_class = WrittenOnce
    macro = staticmethod(macro)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """All templates share what is offered, in one dictionary: Jinja's chain of two is copied for every
        page, key by key."""
        return super().make_globals(d) if d else self.globals


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
