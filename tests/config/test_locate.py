"""The locator finds everything that tomllib finds, on the right line."""

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from portico.config.locate import KeyPath, locate_keys

EVERYTHING = '''\
# a comment with [brackets] and "quotes"
title = "a # b" # c
"quoted key" = 1
a.b . "c d" = 2

[fetch]   # the table
delay_s=1.5
when = 1979-05-27 07:32:00
list = [ # begins
  "one", 'two',   # two on a line
  """three
  # not a comment
  [not.a.table]
  """,
  [ 1,
    2 ],
  { x = 1, y = "}]" },
]
literal = \'\'\'
[also.not] = 1\'\'\'
tricky = "\\\\"
end = """ends with quotes""\"""

[[source]]
seeds = ["a"]
[[source]]
  seeds = [
    "b"
  ]
[source.more]
x = 1
[ "odd name" . z ]
k = true
'''

PLACES = [
    (("title",), 2),
    (("quoted key",), 3),
    (("a",), 4),
    (("a", "b", "c d"), 4),
    (("fetch",), 6),
    (("fetch", "delay_s"), 7),
    (("fetch", "when"), 8),
    (("fetch", "list"), 9),
    (("fetch", "list", 0), 10),
    (("fetch", "list", 1), 10),
    (("fetch", "list", 2), 11),
    (("fetch", "list", 3), 15),
    (("fetch", "list", 3, 1), 16),
    (("fetch", "list", 4), 17),
    (("fetch", "list", 4, "y"), 17),
    (("fetch", "literal"), 19),
    (("fetch", "tricky"), 21),
    (("fetch", "end"), 22),
    (("source",), 24),
    (("source", 0), 24),
    (("source", 0, "seeds", 0), 25),
    (("source", 1), 26),
    (("source", 1, "seeds"), 27),
    (("source", 1, "seeds", 0), 28),
    (("source", 1, "more"), 30),
    (("source", 1, "more", "x"), 31),
    (("odd name", "z"), 32),
    (("odd name", "z", "k"), 33),
]


@pytest.mark.parametrize(("place", "line"), PLACES, ids=str)
def test_lines(place: KeyPath, line: int) -> None:
    assert locate_keys(EVERYTHING)[place] == line


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_endings_do_not_matter(ending: str) -> None:
    assert locate_keys(EVERYTHING.replace("\n", ending)) == locate_keys(EVERYTHING)


def places_of(value: Any, place: KeyPath = ()) -> set[KeyPath]:
    """Every place a parsed file has."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {place}.union(*(places_of(part, (*place, name)) for name, part in parts))


def test_nothing_is_missed() -> None:
    assert places_of(tomllib.loads(EVERYTHING)) - {(), ("odd name",)} <= set(locate_keys(EVERYTHING))


strings = st.text(max_size=8).map(
    lambda text: json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
)
gaps = st.sampled_from([" ", "\n", ' # note ] } "\n', ""])
values = st.recursive(
    st.integers().map(str) | st.booleans().map(lambda value: str(value).lower()) | strings,
    lambda inner: (
        st.builds(
            lambda items, gap: f"[{gap}{f' ,{gap}'.join(items)}{gap}]", st.lists(inner, max_size=3), gaps
        )
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=2).map(
            lambda table: "{ " + ", ".join(f"{name} = {value}" for name, value in table.items()) + " }"
        )
    ),
    max_leaves=6,
)
names = st.sampled_from(["a", "b-c", '"d e"', "'f.g'", '"\\u0068"'])
bodies = st.dictionaries(names, values, max_size=3).map(
    lambda table: "".join(f"{name} = {value}  # note\n" for name, value in table.items())
)
files = st.builds(
    lambda top, tables, arrays: (
        top
        + "".join(f"[table{number}]\n{body}\n" for number, body in enumerate(tables))
        + "".join(f"[[array]]\n{body}" for body in arrays)
    ),
    bodies,
    st.lists(bodies, max_size=2),
    st.lists(bodies, max_size=3),
)


@settings(max_examples=60, deadline=None)
@given(files)
def test_any_file_that_parses_is_located(text: str) -> None:
    parsed = tomllib.loads(text)
    lines = locate_keys(text)
    assert places_of(parsed) - {()} <= set(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


@given(st.text(alphabet="ab=[]{}\"'\n#., 1\\"))
def test_odd_files_that_happen_to_parse_are_located(text: str) -> None:
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert places_of(parsed) - {()} <= set(locate_keys(text))
