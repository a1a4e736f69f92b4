"""Adding to a builder's files keeps everything that stands in them."""

import tomllib
from pathlib import Path

import pytest

from portico.config.editing import add_topic, format_topic, name_tree_file
from portico.config.reading import read_settings
from portico.config.topics import read_topics
from portico.errors import ConfigError
from portico.types.topic import Topic

TREE = """# Our subjects, by the librarian.
[[topic]]
path = "Sea/Squid"  # the favorite
keywords = ["squid", "octopus"]   # eight arms

[[topic]]  # and what flies
keywords = [
  "bird",  # wings
]
path='Air / Birds'
"""
NEW = Topic(("Sea", 'Deep "blue"'), ("whale", "Größe"))


def read(folder: Path, text: str) -> tuple[Topic, ...]:
    path = folder / "topics.toml"
    path.write_text(text, encoding="utf-8")
    return read_topics(path)


def test_a_topic_is_added_and_everything_else_stays(tmp_path: Path) -> None:
    text = add_topic(TREE, NEW, remarks=("12 documents, among them:", "  A whale"))
    assert text.startswith(TREE.rstrip("\n"))
    assert "# 12 documents, among them:\n#   A whale\n[[topic]]" in text
    assert read(tmp_path, text) == (*read(tmp_path, TREE), NEW)
    assert tomllib.loads(format_topic(NEW))["topic"][0]["keywords"] == ["whale", "Größe"]


@pytest.mark.parametrize(
    ("path", "moved"),
    [
        (("Sea", "Squid", "Giant"), 'path = "Sea/Squid/General"  # the favorite'),
        (("Air", "Birds", "Small", "Wren"), 'path="Air/Birds/General"'),
    ],
)
def test_a_leaf_that_gets_leaves_below_it_moves_among_them(
    tmp_path: Path, path: tuple[str, ...], moved: str
) -> None:
    text = add_topic(TREE, Topic(path, ("x",)))
    assert moved in text
    before, after = read(tmp_path, TREE), read(tmp_path, text)
    assert [topic.keywords for topic in after] == [*(topic.keywords for topic in before), ("x",)]
    assert len(set(text.splitlines()) - set(TREE.splitlines())) == 3  # the moved path and the new topic


@pytest.mark.parametrize("path", [("Sea", "Squid"), ("Sea",)])
def test_what_stands_already_is_not_added(path: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="already"):
        add_topic(TREE, Topic(path, ()))


@pytest.mark.parametrize(
    "written",
    [
        "",
        "# about topics\n[spider]\nmax_pages = 5\n",
        "[topics]\n# the tree\n[spider]\nmax_pages = 5\n",
        "[topics]",
    ],
)
def test_a_portal_names_its_tree(tmp_path: Path, written: str) -> None:
    text = f'[portal]\ntitle = "Animals"\n\n[[source]]\nfolder = "."\n\n{written}'
    (tmp_path / "portal.toml").write_text(name_tree_file(text, "topics.toml"))
    (tmp_path / "topics.toml").write_text(TREE)
    settings = read_settings(tmp_path)
    assert settings.topics.file == "topics.toml"
    after = (tmp_path / "portal.toml").read_text().splitlines()
    assert [line for line in after if line in text.splitlines() and line] == [
        line for line in text.splitlines() if line
    ]
