"""The same portal on SQLite and on PostgreSQL: built, exported, searched and served alike."""

from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.pipeline.conftest import SampleSite
from tests.pipeline.portals import portico, serving, snapshot, web_portal
from tests.postgresql import PostgresServer


@pytest.mark.slow
def test_a_portal_is_the_same_on_both(tmp_path: Path, site: SampleSite, postgresql: PostgresServer) -> None:
    embedded = web_portal(tmp_path / "embedded", **site.source)
    elsewhere = web_portal(tmp_path / "elsewhere", **site.source)
    with (elsewhere / "portal.toml").open("a") as settings:
        settings.write(f'\n[store]\nurl = "{postgresql.make_database()}"\n')
    for portal in (embedded, elsewhere):
        done = portico("build", portal)
        assert done.returncode == 0, done.stderr
    assert snapshot(elsewhere) == snapshot(embedded)
    exported = [portico("export", "jsonl", portal).stdout for portal in (embedded, elsewhere)]
    assert exported[0] == exported[1] != ""
    assert portico("verify", elsewhere).returncode == 0
    assert not (elsewhere / "portico.db").exists()
    for place in (elsewhere, postgresql.make_database()):
        done = portico("store", "copy", embedded, place)
        assert (done.returncode == 0) is (place != elsewhere), done.stderr
    copied = (elsewhere / "portal.toml").read_text().rpartition("\n[store]")[
        0
    ] + f'\n[store]\nurl = "{place}"\n'
    (elsewhere / "portal.toml").write_text(copied)
    assert portico("export", "jsonl", elsewhere).stdout == exported[0]
    with serving(embedded) as here, serving(elsewhere) as there:
        pages = [urlopen(f"{address}/search?q=learning").read() for address in (here, there)]
    assert pages[0].replace(here.encode(), b"") == pages[1].replace(there.encode(), b"")
