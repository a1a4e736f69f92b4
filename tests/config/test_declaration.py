"""A builder declares a domain in TOML; every mistake is named at once, with its line."""

import re
from pathlib import Path

import pytest

from portico.config.declaration import read_declaration
from portico.config.template import format_domain_toml
from portico.errors import ConfigError
from portico.types.domain import Declaration, Form

COURSE = """\
[[page]]
name = "course"
words = ["syllabus"]

[[record]]
name = "course"
title = "title"
identity = ["number", "site"]

[[record.field]]
name = "title"
once = true

[[record.field]]
name = "number"
label = "Course number"
pattern = 'CS ?\\d{3}'

[[record.field]]
name = "instructor"
form = "names"
facet = true
search = false
"""


def declared(tmp_path: Path, text: str) -> Declaration:
    path = tmp_path / "domain.toml"
    path.write_text(text, encoding="utf-8")
    return read_declaration(path)


def mistakes(tmp_path: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        declared(tmp_path, text)
    return str(caught.value)


def test_a_domain_is_read_with_its_defaults(tmp_path: Path) -> None:
    found = declared(tmp_path, COURSE)
    assert found.pages[0].words == ("syllabus",)
    kind = found.kinds[0]
    assert (kind.plural, kind.identity, kind.begins) == ("courses", ("number", "site"), "")
    title, number, instructor = kind.fields
    assert (title.label, title.form, title.once, title.searchable) == ("Title", Form.TEXT, True, True)
    assert (number.label, number.pattern) == ("Course number", r"CS ?\d{3}")
    assert (instructor.form, instructor.many_names, instructor.facet) == (Form.NAME, True, True)
    assert not instructor.searchable
    assert not found.has_topics


def test_the_template_is_a_domain(tmp_path: Path) -> None:
    found = declared(tmp_path, format_domain_toml())
    assert [field.name for field in found.kinds[0].fields] == ["title", "number", "instructor", "term"]


@pytest.mark.parametrize(
    ("examples", "alike", "others"),
    [
        (("CS 101", "BIO 204"), ("CS 999", "MATH 310"), ("cs 101", "CS 4410", "XCS-101", "CS101")),
        (("CS 304P",), ("CS 395T",), ("CS 395", "CS 395TX")),
        (("Fall 2023", "Spring 2024"), ("spring 1997",), ("Winter 2023", "Fall 23")),
        (("MU.1900.12", "MU.1901.3"), ("MU.1899.44",), ("MU 1899 44", "MU.1899.444")),
    ],
)
def test_values_of_the_shape_of_examples_are_matched(
    tmp_path: Path, examples: tuple[str, ...], alike: tuple[str, ...], others: tuple[str, ...]
) -> None:
    like = f"like = [{', '.join(map(repr, examples))}]"
    field = declared(tmp_path, COURSE.replace("pattern = 'CS ?\\d{3}'", like)).kinds[0].fields[1]
    pattern = re.compile(field.pattern, re.IGNORECASE)
    assert all(pattern.fullmatch(value) for value in (*examples, *alike))
    assert not [value for value in others if pattern.search(value)]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('title = "title"', 'title = "titel"', 7, 'there is no field "titel"'),
        ('identity = ["number", "site"]', 'identity = ["nummer"]', 8, 'there is no field "nummer"'),
        ('identity = ["number", "site"]', 'begins = "name"', 8, 'begins: there is no field "name"'),
        ('identity = ["number", "site"]', 'part_of = "school"', 8, 'there is no record "school"'),
        ('identity = ["number", "site"]', 'part_of = "course"', 8, "goes in a circle: course → course"),
        ('name = "instructor"', 'name = "number"', 20, '"course" has 2 fields called "number"'),
        ('name = "instructor"', 'name = "site"', 20, 'cannot be called "site"'),
        ('name = "instructor"', 'name = "The Instructor"', 20, "small letters"),
        ('name = "instructor"', 'label = "x"', 19, "this field has no name"),
        ('form = "names"', 'form = "nams"', 21, 'did you mean "names"'),
        ("pattern = 'CS ?\\d{3}'", "pattern = 'CS ?('", 17, "is not a regular expression"),
        ("pattern = 'CS ?\\d{3}'", "pattern = 'x*'", 17, "also matches the empty string"),
        ("pattern = 'CS ?\\d{3}'", "pattern = 'x'\nlike = ['CS 1']", 18, "keep one of them"),
        ("pattern = 'CS ?\\d{3}'", "patern = 'x'", 17, 'did you mean "pattern"'),
        ('words = ["syllabus"]', "words = 3", 3, "is not a list of texts"),
        ('[[page]]\nname = "course"', "[[page]]", 1, "this page has no name"),
        ("[[record]]", "[[records]]", 5, '"records" is not allowed'),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in COURSE
    said = mistakes(tmp_path, COURSE.replace(old, new))
    assert message in said
    assert f"domain.toml:{line}: " in said


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    said = mistakes(tmp_path, COURSE.replace('"title"\nid', '"x"\nid').replace("syllabus", ""))
    assert said.count("domain.toml:") == 3


def test_a_circle_of_records_is_found(tmp_path: Path) -> None:
    kinds = [
        f'[[record]]\nname = "{name}"\ntitle = "{name}_x"\npart_of = "{above}"\n'
        f'[[record.field]]\nname = "{name}_x"\n'
        for name, above in (("a", "b"), ("b", "c"), ("c", "a"))
    ]
    said = mistakes(tmp_path, '[[page]]\nname = "p"\n' + "".join(kinds))
    assert "a → b → c → a" in said


@pytest.mark.parametrize("text", ["", "page = 3", "[page]\nname = 'x'", "[[record]]\n[record.field]\nx = 1"])
def test_something_else_is_refused_with_what_to_write(tmp_path: Path, text: str) -> None:
    assert "write [[" in mistakes(tmp_path, text)
