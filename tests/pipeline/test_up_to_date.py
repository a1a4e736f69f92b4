"""A build that has nothing to do says so at once, and never when there is something to do."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from portico.cli.progress_lines import ProgressLines
from portico.pipeline.building import build_portal
from portico.pipeline.importing import import_portal
from portico.pipeline.opening import hold_portal, open_for_changes, open_for_teaching
from portico.pipeline.progress import BuildRequest
from portico.pipeline.up_to_date import find_up_to_date
from portico.store.meta import keep_source
from portico.store.opening import Store, open_store
from portico.types.correction import Verdict
from portico.types.record import RecordId
from portico.types.stages import StageName

QUIET = ProgressLines(None)
PAPER = r"\documentclass{article}\title{%s}\begin{document}\maketitle\section{One}Words.\end{document}"
SETTINGS = """
[portal]
title = "Here"

[topics]
file = "../tree.toml"

[[source]]
folder = "../papers"
"""
TREE = """
[[topic]]
path = "Learning"
keywords = ["learning"]

[[topic]]
path = "Robots"
keywords = ["robot"]
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a portal that has everything, with the files that it was made from."""
    place = tmp_path_factory.mktemp("built")
    for folder in ("papers", "portal"):
        (place / folder).mkdir()
    (place / "papers" / "one.tex").write_text(PAPER % "Trees of Decisions")
    (place / "portal" / "portal.toml").write_text(SETTINGS)
    (place / "tree.toml").write_text(TREE)
    (place / "more.jsonl").write_text('{"id": "x", "title": "Learning to Walk", "authors": ["B. Old"]}\n')
    import_portal(place / "more.jsonl", place / "portal", QUIET)
    build_portal(place / "portal", BuildRequest(), QUIET)
    return place


def copy(built: Path, place: Path) -> Path:
    return Path(shutil.copytree(built, place / "copy"))


def write(folder: Path, change: Callable[[Store], object]) -> None:
    """Write to the store as a page of the portal does: without holding the portal."""
    store = open_store("sqlite:///portico.db", folder)
    change(store)
    store.close()


def decide(store: Store) -> None:
    one, other = RecordId("a#header"), RecordId("b#header")
    store.contributions.corrections.decide([Verdict(one, other, same=True, who="builder", at=0.0)])


def keep(store: Store) -> None:
    keep_source(store.meta, "papers/one.tex")


def keep_and_decide(store: Store) -> None:
    keep(store)
    decide(store)


def touch_later(path: Path) -> None:
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))


def drop_index(place: Path) -> None:
    shutil.rmtree(next((place / "portal" / "index").iterdir()))


def import_without_building(place: Path) -> None:
    with open_for_changes(place / "portal"):
        pass  # killed before it did anything, for all that is known


CHANGES: dict[str, Callable[[Path], object]] = {
    "settings": lambda place: (place / "portal" / "portal.toml").write_text(SETTINGS + "# more\n"),
    "topics": lambda place: (place / "tree.toml").write_text(TREE.replace("robot", "robots")),
    "a declaration": lambda place: (place / "portal" / "domain.toml").write_text(""),
    "a model": lambda place: (place / "portal" / "models" / "header.crf").write_text("x"),
    "no topic model": lambda place: (place / "portal" / "models" / "topics.npz").unlink(),
    "no index": drop_index,
    "damage": lambda place: (place / "portal" / "damage.txt").write_text("broken\n"),
    "a new file": lambda place: (place / "papers" / "two.tex").write_text(PAPER % "Robots"),
    "a new folder": lambda place: (place / "papers" / "more").mkdir(),
    "a changed file": lambda place: (place / "papers" / "one.tex").write_text(PAPER % "Trees of Derisions"),
    "a later file": lambda place: touch_later(place / "papers" / "one.tex"),
    "a closed file": lambda place: (place / "papers" / "one.tex").chmod(0),
    "no file": lambda place: (place / "papers" / "one.tex").unlink(),
    "no folder": lambda place: shutil.rmtree(place / "papers"),
    "a link": lambda place: (place / "papers" / "two.tex").symlink_to(place / "tree.toml"),
    "an upload": lambda place: (place / "portal" / "uploads").mkdir(),
    "a decision": lambda place: write(place / "portal", decide),
    "a source to keep": lambda place: write(
        place / "portal", lambda s: keep_source(s.meta, "papers/one.tex")
    ),
    "a source to keep, and a decision": lambda place: write(place / "portal", keep_and_decide),
    "lost work": lambda place: write(
        place / "portal",
        lambda s: s.documents.results.drop(StageName.EXTRACT, s.documents.results.keys(StageName.EXTRACT)),
    ),
    "another command": import_without_building,
    "another note": lambda place: (place / "portal" / "up-to-date.json").write_text(
        (place / "portal" / "up-to-date.json").read_text() + " "
    ),
    "no store": lambda place: (place / "portal" / "portico.db").unlink(),
    "no note": lambda place: (place / "portal" / "up-to-date.json").unlink(),
    "half a note": lambda place: (place / "portal" / "up-to-date.json").write_text('{"around": {}'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_may_be_due_is_looked_at(change: str, built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    assert find_up_to_date(place / "portal") is not None
    CHANGES[change](place)
    assert find_up_to_date(place / "portal") is None


def test_searches_of_visitors_make_nothing_due(built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    write(place / "portal", lambda s: s.contributions.query_log.add({"trees": (1, 0)}, at=0.0))
    said = find_up_to_date(place / "portal")
    assert said is not None
    assert "2 papers" in said[0]


def test_a_teacher_may_fetch_pages_between_two_builds(built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    with open_for_teaching(place / "portal") as portal:
        build_portal(place / "portal", BuildRequest(), QUIET)
        assert find_up_to_date(place / "portal") is not None
        with hold_portal(portal):
            pass
    assert find_up_to_date(place / "portal") is None


def test_a_build_of_some_stages_leaves_no_note(built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    build_portal(place / "portal", BuildRequest(stages=(StageName.INDEX,)), QUIET)
    assert find_up_to_date(place / "portal") is None


def test_an_import_leaves_no_note_where_folders_are_read(built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    (place / "papers" / "two.tex").write_text(PAPER % "Robots")
    import_portal(place / "more.jsonl", place / "portal", QUIET)
    assert find_up_to_date(place / "portal") is None
    build_portal(place / "portal", BuildRequest(), QUIET)
    said = find_up_to_date(place / "portal")
    assert said is not None
    assert "3 papers" in said[0]


def test_catalogs_may_have_to_be_asked_again(tmp_path: Path) -> None:
    asking = '[enrich]\nsources = ["crossref"]\n[fetch]\ncontact = "a@b.test"\n'
    (tmp_path / "portal.toml").write_text(f'[portal]\ntitle = "Here"\n{asking}')
    (tmp_path / "none.jsonl").write_text("")
    import_portal(tmp_path / "none.jsonl", tmp_path, QUIET)
    assert find_up_to_date(tmp_path) is None


def test_a_store_of_another_program_is_left_to_those_who_open_it(built: Path, tmp_path: Path) -> None:
    place = copy(built, tmp_path)
    (place / "portal" / "portico.db").unlink()
    with sqlite3.connect(place / "portal" / "portico.db") as connection:
        connection.execute("CREATE TABLE other (x)")
    assert find_up_to_date(place / "portal") is None
