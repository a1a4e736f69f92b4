"""Suggested topics: the builder edits, accepts and turns down in the portal what a build suggests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.config.topics import read_topics
from portico.store.meta import keep_suggested, read_suggested
from portico.types.topic import Topic, TopicSuggestion
from tests.serve.hearing import Hearing, hearing
from tests.serve.made import make_portal

TREE = '# ours\n[[topic]]\npath = "Sea/Squid"\nkeywords = ["squid"]\n'
GIANT = TopicSuggestion(Topic(("Sea", "Squid", "Giant"), ("giant squid", "beak")), 12, ("A <giant> squid",))
BLUE = TopicSuggestion(Topic(("Sea", "Blue"), ("blue",)), 5, ())


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Hearing]:
    make_portal(tmp_path)
    (tmp_path / "portal.toml").write_text(
        '[portal]\ntitle = "Animals"\n[[source]]\nfolder = "."\n[topics]\nfile = "topics.toml"\n'
    )
    (tmp_path / "topics.toml").write_text(TREE)
    with hearing(tmp_path) as heard:
        keep_suggested(heard.store.meta, (GIANT, BLUE))
        yield heard


def test_suggestions_are_shown_with_examples(heard: Hearing) -> None:
    page = heard.builder().get("/builder/topics").text
    assert "Sea › Squid › Giant" in page
    assert "12 papers" in page
    assert "A &lt;giant&gt; squid" in page
    assert "giant squid, beak" in page


def test_an_accepted_topic_stands_in_the_tree_as_it_was_edited(heard: Hearing, tmp_path: Path) -> None:
    builder = heard.builder()
    form = {"token": builder.token(), "topic": "Sea/Squid/Giant", "decision": "accept"}
    answer = builder.post("/builder/topics", **form, path="Sea / Large ones", keywords="giant squid, , huge ")
    assert (answer.status, answer.headers["Location"]) == (303, "/builder/topics")
    assert read_topics(tmp_path / "topics.toml")[-1] == Topic(("Sea", "Large ones"), ("giant squid", "huge"))
    assert (tmp_path / "topics.toml").read_text().startswith(TREE)
    assert read_suggested(heard.store.meta) == (BLUE,)
    assert builder.post("/builder/topics", **form).status == 404


def test_what_is_turned_down_is_not_suggested_again(heard: Hearing, tmp_path: Path) -> None:
    builder = heard.builder()
    builder.post("/builder/topics", token=builder.token(), topic="Sea/Blue", decision="reject")
    keep_suggested(heard.store.meta, (GIANT, BLUE))
    assert read_suggested(heard.store.meta) == (GIANT,)
    assert (tmp_path / "topics.toml").read_text() == TREE


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("Sea/Squid", "there is a topic"),
        ("Sea//Blue", "with / between the names"),
        ("", "with / between the names"),
        ("Sea/Blue/Sea", "with / between the names"),
    ],
)
def test_a_topic_that_cannot_be_is_refused(heard: Hearing, tmp_path: Path, path: str, said: str) -> None:
    builder = heard.builder()
    form = {"token": builder.token(), "topic": "Sea/Blue", "decision": "accept"}
    answer = builder.post("/builder/topics", **form, path=path, keywords="x")
    assert answer.status == 400
    assert said in answer.text
    assert (tmp_path / "topics.toml").read_text() == TREE
    assert read_suggested(heard.store.meta) == (GIANT, BLUE)


def test_only_the_builder_decides(heard: Hearing, tmp_path: Path) -> None:
    answer = heard.visitor().post("/builder/topics", topic="Sea/Blue", decision="accept")
    assert answer.status in (303, 403)
    assert (tmp_path / "topics.toml").read_text() == TREE


def test_the_tree_is_changed_in_the_portal(heard: Hearing, tmp_path: Path) -> None:
    builder = heard.builder()
    assert "Sea › Squid" in builder.get("/builder/topics").text
    form = {"token": builder.token(), "topic": "Sea/Squid"}
    answer = builder.post("/builder/tree", **form, decision="move", target="Oceans / Giant <squid>")
    assert (answer.status, answer.headers["Location"]) == (303, "/builder/topics?changed=1#tree")
    assert read_topics(tmp_path / "topics.toml") == (Topic(("Oceans", "Giant <squid>"), ("squid",)),)
    page = builder.get("/builder/topics").text
    assert "Oceans › Giant &lt;squid&gt;" in page
    builder.post("/builder/tree", token=builder.token(), topic="Oceans", decision="hide")
    assert read_topics(tmp_path / "topics.toml")[0].hidden
    assert "hidden" in builder.get("/builder/topics").text


@pytest.mark.parametrize(
    ("decision", "topic", "target", "status"),
    [
        ("move", "Sea/Squid", "Sea//Squid", 400),
        ("move", "Sea/Squid", "", 400),
        ("merge", "Sea/Squid", "Land", 400),
        ("move", "Land", "Sea", 400),
        ("burn", "Sea/Squid", "Sea", 400),
        ("hide", "", "", 400),
    ],
)
def test_a_change_that_cannot_be_leaves_the_tree(
    heard: Hearing, tmp_path: Path, decision: str, topic: str, target: str, status: int
) -> None:
    builder = heard.builder()
    form = {"token": builder.token(), "topic": topic, "decision": decision, "target": target}
    assert builder.post("/builder/tree", **form).status == status
    assert (tmp_path / "topics.toml").read_text() == TREE
    assert builder.post("/builder/tree", topic="Sea/Squid", decision="hide").status == 403
