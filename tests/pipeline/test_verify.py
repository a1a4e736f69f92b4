"""Damage is found, named and mended: after repair and another build the portal is as it was."""

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.pipeline.conftest import SampleSite
from tests.pipeline.portals import Snapshot, portico, serving, snapshot, web_portal

pytestmark = pytest.mark.slow  # builds again and again


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, site: SampleSite) -> tuple[Path, Snapshot]:
    folder = web_portal(tmp_path_factory.mktemp("verify") / "portal", **site.source)
    done = portico("build", folder)
    assert done.returncode == 0, done.stderr
    return folder, snapshot(folder)


def a_blob(folder: Path) -> Path:
    """The body of a paper, not of a page: the largest."""
    return max((folder / "blobs").glob("*/*.zst"), key=lambda path: path.stat().st_size)


def damage_a_body(folder: Path) -> None:
    path = a_blob(folder)
    path.write_bytes(path.read_bytes()[:-20])


def lose_a_body(folder: Path) -> None:
    a_blob(folder).unlink()


def leave_a_stray_body(folder: Path) -> None:
    path = a_blob(folder)
    stray = folder / "blobs" / "00" / f"{'00' * 32}.zst"
    stray.parent.mkdir(exist_ok=True)
    shutil.copy(path, stray)


def execute(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / "portico.db")) as database:
        assert database.execute(statement).rowcount > 0
        database.commit()


def damage_a_result(folder: Path) -> None:
    first = "SELECT min(subject) FROM result WHERE stage = 'extract' AND outcome = 'done'"
    execute(folder, f"UPDATE result SET payload = x'00' WHERE stage = 'extract' AND subject = ({first})")


def lose_a_cited_entity(folder: Path) -> None:
    execute(folder, "DELETE FROM entity WHERE id = (SELECT min(cited) FROM citation)")


def lose_the_index(folder: Path) -> None:
    shutil.rmtree(folder / "index")


def damage_the_index(folder: Path) -> None:
    for path in (folder / "index").rglob("*.store"):
        path.write_bytes(b"")
    for path in (folder / "index").rglob("meta.json"):
        path.write_text("{}")


def change_bytes_of_the_index(folder: Path) -> None:
    """In the middle and of the same size, as a failing disk does."""
    (path,) = (folder / "index").rglob("*.store")
    body = bytearray(path.read_bytes())
    third = len(body) // 3
    body[third : 2 * third] = random.Random(6).randbytes(third)
    path.write_bytes(body)


def flip_a_bit(path: Path, position: int) -> None:
    body = bytearray(path.read_bytes())
    body[position] ^= 1
    path.write_bytes(body)


def flip_in_the_database(folder: Path, query: str) -> None:
    """One bit in the middle of a value, in the file: the database itself notices nothing."""
    database = folder / "portico.db"
    with closing(sqlite3.connect(database)) as opened:
        (value,) = opened.execute(query).fetchone()
    needle = value if isinstance(value, bytes) else value.encode()
    start = database.read_bytes().rindex(needle[:400])
    flip_a_bit(database, start + len(needle[:400]) // 2)


def flip_a_bit_of_everything(folder: Path) -> None:
    flip_in_the_database(folder, "SELECT value FROM entity WHERE held")
    flip_in_the_database(folder, "SELECT context FROM link WHERE length(context) > 40")
    flip_in_the_database(folder, "SELECT reason FROM failure WHERE length(reason) > 20")
    flip_in_the_database(folder, "SELECT last_modified FROM page WHERE kind = 'web' AND body IS NOT NULL")
    flip_in_the_database(folder, "SELECT key FROM result WHERE stage = 'list' AND outcome = 'done'")
    flip_in_the_database(folder, "SELECT value FROM meta WHERE key = 'authors'")
    for path in (folder / "models").iterdir():
        flip_a_bit(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (flip_a_bit_of_everything, "not what was written"),
        (damage_a_body, "missing or damaged"),
        (lose_a_body, "missing or damaged"),
        (leave_a_stray_body, "belongs to no page"),
        (damage_a_result, "extract result"),
        (lose_a_cited_entity, "leads to no entity"),
        (lose_the_index, "index"),
        (damage_the_index, "index"),
        (change_bytes_of_the_index, ".store"),
    ],
)
def test_damage_is_found_and_mended(
    tmp_path: Path, whole: tuple[Path, Snapshot], harm: Callable[[Path], None], words: str
) -> None:
    folder = tmp_path / "portal"
    shutil.copytree(whole[0], folder)
    harm(folder)

    found = portico("verify", folder)
    assert found.returncode == 1
    assert words in found.stdout
    assert "--repair" in found.stdout

    repaired = portico("verify", folder, "--repair")
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    assert portico("build", folder).returncode == 0
    assert "Everything agrees" in portico("verify", folder).stdout
    assert snapshot(folder) == whole[1]


def lose_the_list_of_the_index(folder: Path) -> None:
    for path in (folder / "index").rglob("meta.json"):
        path.write_text("{")


def lose_a_file_of_the_index(folder: Path) -> None:
    next((folder / "index").rglob("*.idx")).unlink()


@pytest.mark.parametrize("harm", [lose_the_list_of_the_index, lose_a_file_of_the_index, damage_the_index])
def test_a_build_writes_a_maimed_index_again(
    tmp_path: Path, whole: tuple[Path, Snapshot], harm: Callable[[Path], None]
) -> None:
    folder = tmp_path / "portal"
    shutil.copytree(whole[0], folder)
    harm(folder)
    assert portico("build", folder).returncode == 0
    assert "Everything agrees" in portico("verify", folder).stdout
    assert snapshot(folder) == whole[1]


def test_what_people_said_is_not_made_up(tmp_path: Path, whole: tuple[Path, Snapshot]) -> None:
    """A damaged correction is told of by verify, build and the running portal, until it is accepted."""
    folder = tmp_path / "portal"
    shutil.copytree(whole[0], folder)
    columns = "wrong, entity, record, field, value, before, note, who, at, standing, decided_at"
    values = (
        "'field', 'e', 'r', 'title', 'The title as it should be', '', '', 'visitor', 1.0, 'proposed', 0.0"
    )
    execute(folder, f"INSERT INTO correction ({columns}) VALUES ({values})")
    assert portico("build", folder).returncode == 0  # seals it
    flip_in_the_database(folder, "SELECT value FROM correction")

    assert "correction" in portico("verify", folder).stdout
    repaired = portico("verify", folder, "--repair")
    assert repaired.returncode == 1
    assert "--accept" in repaired.stdout
    built = portico("build", folder).stdout
    assert "damaged" in built
    assert "Nothing to do" not in built
    with serving(folder) as address:
        with pytest.raises(HTTPError) as answer:
            urlopen(f"{address}/healthz")
        assert answer.value.code == 503
        assert "1 fault found" in json.loads(answer.value.read())["fault"]
    assert portico("verify", folder, "--accept").returncode == 0
    assert portico("verify", folder).returncode == 0


def test_a_sound_portal_is_called_so(whole: tuple[Path, Snapshot]) -> None:
    found = portico("verify", whole[0])
    assert found.returncode == 0
    assert "Everything agrees" in found.stdout
