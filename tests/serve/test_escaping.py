"""Whatever a value is, it is written into a page once, escaped, and hides nothing."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from portico.serve.escaping import Templates, visible, written

OVERRIDE = chr(0x202E)


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
    shown = Templates(autoescape=True, finalize=written).from_string(template).render(word="<&>")
    escaped = "&lt;&amp;&gt;"
    assert shown.strip() == f"{escaped} <b>{escaped}</b> {escaped}! {escaped} <i> {escaped}"


def test_templates_call_macros_as_functions_and_reach_blocks_through_self() -> None:
    template = """
    {%- macro pair(one, two="b") %}{{ one.real }}{{ two }}{% endmacro -%}
    {% block word %}{{ "<w>" }}{% endblock %} {{ self.word() }} {{ pair(1) }} {{ pair(2, two="<c>") }}
    {%- for n in (1, 2) %} {{ loop.last }}{% endfor %}"""
    shown = Templates(autoescape=True, finalize=written).from_string(template).render()
    assert shown.strip() == "&lt;w&gt; &lt;w&gt; 1b 2&lt;c&gt; False True"


def test_what_a_value_does_not_have_is_an_error_not_an_empty_place() -> None:
    with pytest.raises(AttributeError):
        Templates(autoescape=True, finalize=written).from_string("{{ form.url }}").render(form={"url": "x"})


@pytest.mark.parametrize("arguments", ["1, 2, 3", "1, 2, two=3", "1, three=3"])
def test_a_macro_refuses_what_it_does_not_take(arguments: str) -> None:
    template = "{% macro pair(one, two) %}{{ one }}{{ two }}{% endmacro %}{{ pair(" + arguments + ") }}"
    with pytest.raises(TypeError):
        Templates(autoescape=True, finalize=written).from_string(template).render()
