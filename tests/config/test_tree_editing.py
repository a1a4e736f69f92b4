"""Changing topics of a builder's file keeps everything else that stands in it."""

from pathlib import Path

import pytest

from portico.config.topics import read_topics
from portico.config.tree_editing import change_tree, drop_keywords
from portico.errors import ConfigError
from portico.types.topic import Topic, TreeChange

TREE = """# Our subjects, by the librarian.
[[topic]]
path = "Sea/Squid"  # the favorite
keywords = ["squid", "octopus"]   # eight arms

# 12 documents, among them:
#   A whale
[[topic]]  # and what swims
keywords = [
  "whale",  # large
]
path='Sea / Whales'
not = ["tale"]

[[topic]]
path = "Air/Birds"
keywords = ["bird"]
"""
SQUID = Topic(("Sea", "Squid"), ("squid", "octopus"))
WHALES = Topic(("Sea", "Whales"), ("whale",), ("tale",))
BIRDS = Topic(("Air", "Birds"), ("bird",))


def check(folder: Path, change: TreeChange, text: str = TREE) -> tuple[str, tuple[Topic, ...]]:
    changed = change_tree(text, change)
    path = folder / "topics.toml"
    path.write_text(changed, encoding="utf-8")
    return changed, read_topics(path)


@pytest.mark.parametrize(
    ("change", "topics"),
    [
        (
            TreeChange("move", ("Sea", "Squid"), ("Sea", "Cephalopods")),
            (Topic(("Sea", "Cephalopods"), SQUID.keywords), WHALES, BIRDS),
        ),
        (
            TreeChange("move", ("Sea",), ("Life", "Oceans")),
            (
                Topic(("Life", "Oceans", "Squid"), SQUID.keywords),
                Topic(("Life", "Oceans", "Whales"), ("whale",), ("tale",)),
                BIRDS,
            ),
        ),
        (
            TreeChange("move", ("Air", "Birds"), ("Sea", "Birds")),
            (SQUID, WHALES, Topic(("Sea", "Birds"), ("bird",))),
        ),
        (
            TreeChange("merge", ("Sea", "Whales"), ("Sea", "Squid")),
            (Topic(("Sea", "Squid"), ("squid", "octopus", "whale")), BIRDS),
        ),
        (
            TreeChange("merge", ("Sea", "Squid"), ("Sea", "Whales")),
            (Topic(("Sea", "Whales"), ("whale", "squid", "octopus"), ("tale",)), BIRDS),
        ),
        (TreeChange("merge", ("Air",), ("Sea",)), (SQUID, WHALES, Topic(("Sea", "Birds"), ("bird",)))),
        (
            TreeChange("merge", ("Sea",), ("Air", "Birds")),
            (Topic(("Air", "Birds"), ("bird", "squid", "octopus", "whale")),),
        ),
        (
            TreeChange("hide", ("Sea",)),
            (
                Topic(("Sea", "Squid"), SQUID.keywords, hidden=True),
                Topic(("Sea", "Whales"), ("whale",), ("tale",), hidden=True),
                BIRDS,
            ),
        ),
    ],
)
def test_a_change(tmp_path: Path, change: TreeChange, topics: tuple[Topic, ...]) -> None:
    text, found = check(tmp_path, change)
    assert found == topics
    assert text.startswith("# Our subjects, by the librarian.\n")


def test_what_is_hidden_can_be_shown_again(tmp_path: Path) -> None:
    text, _ = check(tmp_path, TreeChange("hide", ("Sea", "Squid")))
    assert check(tmp_path, TreeChange("show", ("Sea", "Squid")), text) == (TREE, (SQUID, WHALES, BIRDS))


def test_remarks_go_with_the_topic_they_are_about() -> None:
    text = change_tree(TREE, TreeChange("merge", ("Sea", "Whales"), ("Air", "Birds")))
    assert "A whale" not in text
    assert '"squid", "octopus"]   # eight arms' in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (TreeChange("move", ("Sea", "Sqid"), ("Sea", "Squids")), "no topic"),
        (TreeChange("move", ("Sea", "Squid"), ("Air", "Birds")), "already"),
        (TreeChange("move", ("Sea", "Squid"), ("Air",)), "already"),
        (TreeChange("move", ("Sea", "Squid"), ("Sea", "")), "with / between"),
        (TreeChange("move", ("Sea", "Squid"), ("Sea", "Sea")), "each once"),
        (TreeChange("merge", ("Sea", "Squid"), ("Sea", "Squid")), "with itself"),
        (TreeChange("merge", ("Sea", "Squid"), ("Sea",)), "above or below"),
        (TreeChange("merge", ("Sea", "Squid"), ("Land",)), "no topic"),
        (TreeChange("burn", ("Sea",)), "cannot be changed"),
    ],
)
def test_a_change_that_cannot_be(change: TreeChange, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        change_tree(TREE, change)


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ({"Octopus", "whale"}, ("squid",)),
        ({"squid", "octopus"}, ("squid", "octopus")),
        (set(), ("squid", "octopus")),
    ],
)
def test_keywords_that_others_have_are_dropped_if_any_are_left(
    tmp_path: Path, words: set[str], left: tuple[str, ...]
) -> None:
    path = tmp_path / "topics.toml"
    path.write_text(drop_keywords(TREE, ("Sea", "Squid"), words), encoding="utf-8")
    assert read_topics(path) == (Topic(("Sea", "Squid"), left), WHALES, BIRDS)
