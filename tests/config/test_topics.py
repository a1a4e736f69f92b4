"""Topic trees, or every mistake in them."""

from pathlib import Path

import pytest

from portico.config.topics import read_topics
from portico.errors import ConfigError
from portico.types.topic import Topic


def write(folder: Path, text: str) -> Path:
    path = folder / "topics.toml"
    path.write_text(text)
    return path


def test_a_tree_in_its_own_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
        [[topic]]
        path = "Zoology / Birds"
        keywords = ["bird", " wing span ", "bird"]
        [[topic]]
        path = "Art"
        not = ["bird"]
        """,
    )
    assert read_topics(path) == (
        Topic(("Zoology", "Birds"), ("bird", "wing span")),
        Topic(("Art",), (), ("bird",)),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no topics; write [[topic]]"),
        ("topic = 3", ":1: topics are a list of tables"),
        ("[topic]\npath = 'A'", ":1: topics are a list of tables"),
        ("[[topics]]\npath = 'A'", ':1: "topics" is not allowed; allowed: [[topic]]'),
        ("[[topic]]\nkeywords = []", ":1: this topic has no path"),
        ("[[topic]]\npath = ''", ':2: path = "" is not names with / between them'),
        ("[[topic]]\npath = 'A//B'", ':2: path = "A//B" is not names'),
        ("[[topic]]\npath = ['A']", ':2: path = ["A"] is not names'),
        (
            "[[topic]]\npath = 'A'\nkeyword = []",
            ':3: a topic has no key "keyword"; allowed: path, keywords, not, hidden; did you mean "keyw',
        ),
        ("[[topic]]\npath = 'A'\nkeywords = 'x'", ':3: keywords = "x" is not a list of texts'),
        ("[[topic]]\npath = 'A'\nkeywords = ['x',\n 3, '']", ":4: keyword 3 is not text"),
        ("[[topic]]\npath = 'A'\n[[topic]]\npath = ' A'", ':4: "A" stands already in line 2'),
        (
            "[[topic]]\npath = 'A'\n[[topic]]\npath = 'A/B'",
            ':4: "A/B": see line 2; "A" cannot be a leaf and have leaves',
        ),
        (
            "[[topic]]\npath = 'A/B'\n[[topic]]\npath = 'A'",
            ':4: "A": see line 2; "A" cannot be a leaf and have leaves',
        ),
        ("[[topic]]\npath = 'A/B/A'", ':2: path = "A/B/A" goes in a circle: "A" cannot be below itself'),
        ("[[topic]]\npath = 'A'\nnot = 'x'", ':3: not = "x" is not a list of texts'),
        ("[[topic]]\npath = 'A'\nnot = ['squid arm']", ':3: not = "squid arm": a topic learns single words'),
        ("[[topic]]\npath = 'A'\nnot = ['the']", ':3: not = "the": a topic learns single words'),
        (
            "[[topic]]\npath = 'A'\nkeywords = ['Caches']\nnot = ['cache']",
            ':4: "cache" is a keyword of this topic and under "not"',
        ),
        ("[[topic]\npath = 'A'", ":1: this is not TOML"),
    ],
)
def test_each_mistake_is_said_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        read_topics(path)
    assert f"{path}{said}" in str(caught.value) or f"{path}: {said}" in str(caught.value)


def test_all_mistakes_at_once(tmp_path: Path) -> None:
    path = write(
        tmp_path, "[[topic]]\npath = ''\n[[topic]]\npath = 'A'\nkeywords = [1, 2]\n[[topic]]\npath = 'A'\n"
    )
    with pytest.raises(ConfigError, match="4 mistakes"):
        read_topics(path)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: there is no such file.*\[topics\]"):
        read_topics(tmp_path / "nowhere.toml")
