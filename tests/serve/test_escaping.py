"""Whatever a value is, it is written into a page once, escaped, and hides nothing."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from markupsafe import Markup

from portico.serve.escaping import WrittenOnce, visible, written

OVERRIDE = chr(0x202E)


class Once(Environment):
    code_generator_class = WrittenOnce


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain", "plain"),
        ("<b>&\"'", "&lt;b&gt;&amp;&#34;&#39;"),
        (Markup("<b>"), "<b>"),
        (12, "12"),
        (None, "None"),
        (f"a{OVERRIDE}b\0c", "ab c"),
        ("é\n<", "é\n&lt;"),
        ("\ud800", "\ufffd"),
    ],
)
def test_written(value: object, expected: str) -> None:
    assert written(value) == expected


@given(st.text())
def test_nothing_written_can_open_a_tag_or_leave_an_attribute(text: str) -> None:
    assert not set(written(text)) & set("<>\"'")
    assert html.unescape(written(text)) == visible(text)


def test_templates_escape_once_whatever_macros_and_blocks_pass_on() -> None:
    template = """
    {%- macro shout(text) %}<b>{{ text }}</b>{% endmacro %}
    {%- set kept %}{{ word }}!{% endset -%}
    {{ word }} {{ shout(word) }} {{ kept }} {{ word|upper }} {{ "<i>"|safe }} {{ [word]|join }}"""
    shown = Once(autoescape=True, finalize=written).from_string(template).render(word="<&>")
    escaped = "&lt;&amp;&gt;"
    assert shown.strip() == f"{escaped} <b>{escaped}</b> {escaped}! {escaped} <i> {escaped}"
