"""What a tree goes by, and how suggestions come into it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from portico.cli.topics import topics_app
from portico.config.reading import read_settings
from portico.config.topics import read_topics
from portico.domains.registry import find_domain
from portico.errors import ConfigError
from portico.pipeline.opening import open_for_building
from portico.pipeline.portal import Portal
from portico.pipeline.topics import topic_suggestions
from portico.pipeline.topics.topic_suggestions import (
    accept_suggestion,
    describe_suggestions,
    save_suggestions,
    suggest_topics,
)
from portico.pipeline.topics.topic_texts import read_topic_texts
from portico.pipeline.topics.topic_words import describe_keywords
from portico.store.meta import keep_suggested, read_suggested, settle_suggested
from portico.types.topic import Topic, TopicSuggestion, TreeChange
from tests.pipeline.topics.test_classifying import TREE, add, classify

SOURCES = '# ours\n[portal]\ntitle = "Animals"\n[[source]]\nfolder = "."\n'
BLUE = TopicSuggestion(Topic(("Sea", "Blue"), ("blue",)), 3, ())
GIANT = TopicSuggestion(Topic(("Sea", "Squid", "Giant"), ("giant squid", "beak")), 12, ("A giant squid",))


@pytest.fixture
def portal(tmp_path: Path) -> Iterator[Portal]:
    (tmp_path / "portal.toml").write_text(SOURCES + '[topics]\nfile = "topics.toml"\n')
    (tmp_path / "topics.toml").write_text(TREE)
    with open_for_building(tmp_path) as portal:
        add(portal, 0, 40)
        yield portal


def leaf_lines(portal: Portal, node: str, n_words: int = 5) -> dict[str, dict[str, str]]:
    """The lines about every leaf, by what they begin with."""
    found: dict[str, dict[str, str]] = {}
    leaf = ""
    for line in describe_keywords(portal, node, n_words):
        if line and not line.startswith(" "):
            leaf = line
        elif line:
            kind, _, rest = line.strip().partition("  ")
            found.setdefault(leaf, {})[kind] = rest.strip()
    return found


def test_every_leaf_shows_its_keywords_and_what_it_learned(portal: Portal) -> None:
    with pytest.raises(ConfigError, match="not learned yet"):
        list(describe_keywords(portal, "", 5))
    classify(portal)
    shown = leaf_lines(portal, "")
    assert list(shown) == ["Sea/Squid", "Air/Birds"]
    assert shown["Sea/Squid"]["keywords"] == "squid (20), octopus (0)"
    assert set(shown["Sea/Squid"]["learned"].split(", ")) == {"tentacle", "ink", "beak", "jet", "mantle"}
    assert "squid number" in shown["Sea/Squid"]["phrases"]
    assert list(leaf_lines(portal, "Air")) == ["Air/Birds"]
    with pytest.raises(ConfigError, match='no topic "Ai"; did you mean Air'):
        list(describe_keywords(portal, "Ai", 5))


def test_a_vetoed_word_speaks_no_longer(portal: Portal) -> None:
    classify(portal)
    assert "beak" in leaf_lines(portal, "Sea")["Sea/Squid"]["learned"]
    vetoed = TREE.replace(
        'keywords = ["squid", "octopus"]', 'keywords = ["squid", "octopus"]\nnot = ["Beaks"]'
    )
    (portal.places.folder / "topics.toml").write_text(vetoed)
    with pytest.raises(ConfigError, match="not learned yet"):
        list(describe_keywords(portal, "", 5))
    classify(portal)
    shown = leaf_lines(portal, "Sea", 30)["Sea/Squid"]
    assert "beak" not in shown["learned"].split(", ")
    assert {"tentacle", "ink"} <= set(shown["learned"].split(", "))
    assert shown["not"] == "Beaks"


def test_an_accepted_suggestion_is_a_topic_and_everything_else_stays(portal: Portal) -> None:
    classify(portal)
    found = suggest_topics(portal, "Sea/Squid", 2)
    assert [line.split("\n")[0] for line in describe_suggestions(found)] == [
        f"# {number}:" for number in range(1, len(found) + 1)
    ]
    path = accept_suggestion(portal, found[0])
    text = path.read_text()
    assert text.startswith(TREE.replace("Sea/Squid", "Sea/Squid/General").rstrip("\n"))
    assert read_topics(path)[-1] == found[0].topic
    assert classify(portal)["d1"] == "Air/Birds"
    with pytest.raises(ConfigError, match="already"):
        accept_suggestion(portal, found[0])
    assert path.read_text() == text


def test_a_portal_with_the_tree_that_ships_gets_its_own(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(SOURCES)
    with open_for_building(tmp_path) as portal:
        path = accept_suggestion(portal, GIANT)
        accept_suggestion(portal, BLUE)
    shipped = find_domain("papers").topics.read_text()
    assert path == tmp_path / "topics.toml"
    assert path.read_text().startswith(shipped.rstrip("\n"))
    assert read_topics(path)[-2:] == (GIANT.topic, BLUE.topic)
    assert (tmp_path / "portal.toml").read_text().startswith(SOURCES)
    assert read_settings(tmp_path).topics.file == "topics.toml"


def test_a_domain_without_a_tree_gets_its_first_topic(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(SOURCES.replace("[portal]", '[portal]\ndomain = "organisations"'))
    with open_for_building(tmp_path) as portal:
        add(portal, 0, 10)
        path = accept_suggestion(portal, BLUE)
    assert read_topics(path) == (BLUE.topic,)
    with open_for_building(tmp_path) as portal:
        assert classify(portal) == {}  # nobody has learned anything of blue ones beforehand


def test_a_tree_that_nobody_names_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(SOURCES)
    (tmp_path / "topics.toml").write_text("mine")
    with (
        open_for_building(tmp_path) as portal,
        pytest.raises(ConfigError, match=r"portal\.toml does not name"),
    ):
        accept_suggestion(portal, GIANT)
    assert (tmp_path / "topics.toml").read_text() == "mine"


def test_a_build_suggests_for_crowded_leaves(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_suggestions, "FEW", 10)
    monkeypatch.setattr(topic_suggestions, "OVERFULL", 1.0)
    classify(portal)
    texts = {text.document: text for text in read_topic_texts(portal.store)}
    save_suggestions(portal, tuple(texts), lambda documents: [texts[each] for each in documents])
    found = read_suggested(portal.store.meta)
    assert {each.topic.path[:2] for each in found} == {("Sea", "Squid"), ("Air", "Birds")}
    settle_suggested(portal.store.meta, found[0].topic.path, turned_down=True)
    assert read_suggested(portal.store.meta) == found[1:]
    keep_suggested(portal.store.meta, found)
    assert read_suggested(portal.store.meta) == found[1:]  # what was turned down is not suggested again
    accept_suggestion(portal, found[1])
    assert read_suggested(portal.store.meta) == found[2:]


def test_the_commands_show_and_accept(tmp_path: Path) -> None:
    (tmp_path / "portal.toml").write_text(SOURCES + '[topics]\nfile = "topics.toml"\n')
    (tmp_path / "topics.toml").write_text(TREE)
    with open_for_building(tmp_path) as portal:
        add(portal, 0, 40)
        classify(portal)

    def said(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(topics_app, words)
        return result.exit_code, result.output

    assert "squid (20), octopus (0)" in said("keywords", str(tmp_path), "Sea")[1]
    assert said("suggest", str(tmp_path), "Sea", "-n", "2")[1].startswith("# 1:\n")
    code, words = said("suggest", str(tmp_path), "Sea", "-n", "2", "--accept", "99")
    assert code == 2
    assert "suggestions" in words
    assert (tmp_path / "topics.toml").read_text() == TREE
    code, words = said("suggest", str(tmp_path), "Sea", "-n", "2", "--accept", "1")
    assert code == 0
    assert f"into {tmp_path / 'topics.toml'}" in words
    assert read_topics(tmp_path / "topics.toml")[-1].path[0] == "Sea"


def test_an_induced_tree_is_put_in_place_and_stays(portal: Portal) -> None:
    folder = portal.places.folder
    runner = CliRunner()
    (folder / "portal.toml").write_text(SOURCES)
    (folder / "topics.toml").unlink()
    found = topic_suggestions.induce_tree(portal)
    assert {each.n_documents for each in found} <= set(range(3, 41))
    path = topic_suggestions.write_tree(portal, found)
    assert read_settings(folder, for_building=False).topics.file == path.name
    assert [topic.path for topic in read_topics(path)] == [each.topic.path for each in found]
    before = path.read_text()
    assert before.startswith(topic_suggestions.INDUCED)
    topic_suggestions.write_tree(portal, topic_suggestions.induce_tree(portal))
    assert path.read_text().rstrip() == before.rstrip()
    topic_suggestions.write_tree(portal, found[:1], fresh=True)
    assert len(read_topics(path)) == 1
    assert (folder / "topics.toml.before").read_text().rstrip() == before.rstrip()
    assert runner.invoke(topics_app, ["induce", str(folder)]).stdout.count("[[topic]]") >= 1


def test_papers_follow_what_the_builder_changes(portal: Portal) -> None:
    classify(portal)

    def places() -> set[tuple[str, ...]]:
        return {each.path for each in portal.store.catalog.topics.assignments()}

    assert places() == {("Sea", "Squid"), ("Air", "Birds")}
    topic_suggestions.edit_tree(portal, TreeChange("move", ("Sea",), ("Life", "Sea")))
    topic_suggestions.edit_tree(portal, TreeChange("hide", ("Air", "Birds")))
    classify(portal)
    assert places() == {("Life", "Sea", "Squid")}
    assert {each.path[0] for each in portal.store.catalog.topics.all()} == {"Life"}
    topic_suggestions.edit_tree(portal, TreeChange("show", ("Air",)))
    topic_suggestions.edit_tree(portal, TreeChange("split", ("Life", "Sea", "Squid")))
    names = [topic.path for topic in topic_suggestions.read_current_tree(portal)]
    assert ("Life", "Sea", "Squid", "General") in names
    assert len(names) > 2
