"""What people say is wrong about things of declared kinds is heard, decided, shown and found at once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from portico.index.writer import update_index
from portico.pipeline.collections.declared.entries import thing_entries
from portico.serve.app import create_app
from portico.serve.contributions.writable_portal import WritablePortal
from portico.serve.declared.collection import ServedThings
from portico.serve.portal import About
from portico.store.opening import open_store
from portico.types.correction import ProposalStatus
from portico.types.record import EntityId
from tests.directory import KINDS
from tests.serve.conftest import serving
from tests.serve.hearing import HASH, Clock, Hearing
from tests.serve.made import STORE_URL
from tests.serve.made_directory import id_of, make_directory
from tests.serve.test_directory import shown


@contextmanager
def hearing(folder: Path) -> Iterator[Hearing]:
    """The portal with everything through which people change it."""
    read, written = open_store(STORE_URL, folder, read_only=True), open_store(STORE_URL, folder)

    def reindex(names: object) -> bool:
        wanted = frozenset(names)  # type: ignore[call-overload]
        gone = wanted - written.view.entities.many(wanted).keys()
        update_index(folder / "index" / "one", thing_entries(written, KINDS, {}, wanted), gone)
        return True

    clock = Clock()
    writable = WritablePortal(store=written, folder=folder, reindex=reindex, password=HASH, now=clock)
    app = create_app(
        read,
        index_folder=folder / "index",
        about=About("Who & Where"),
        collection=ServedThings(KINDS),
        writable=writable,
        clock=clock,
    )
    with serving(app) as site:
        yield Hearing(site, written, clock)
    read.close()
    written.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_directory(tmp_path)
    return tmp_path


def test_a_visitor_proposes_and_the_builder_decides(folder: Path) -> None:
    bo = f"/item/{id_of(folder, 'Bo Old')}"
    with hearing(folder) as room:
        visitor = room.visitor()
        assert "Something wrong?" in visitor.get(bo).text
        form = visitor.get(f"{bo}/wrong").text
        assert "Role (one per line) Treasurer" in shown(form)
        assert "paper" not in shown(form).lower()
        said = visitor.post(f"{bo}/wrong", **{"field-role": "Bursar\n", "note": "since May"})
        assert "Thank you" in said.text
        assert "Bursar" not in visitor.get(bo).text, "not before the builder has looked at it"
        builder = room.builder()
        waiting = builder.get("/builder/corrections").text
        assert "Bo Old" in waiting
        assert f'href="{bo}"' in waiting
        number = room.store.contributions.corrections.standing(ProposalStatus.PROPOSED)[0].id
        builder.post(
            "/builder/corrections", token=builder.token(), id=str(number), decision="accept", value="Bursar"
        )
        assert "Bursar" in visitor.get(bo).text
        assert "corrected by hand" in visitor.get(bo).text
        assert "Bo Old" in visitor.get("/search?q=role:bursar").text


def test_the_builder_joins_parts_and_removes(folder: Path) -> None:
    acme, bolt = id_of(folder, "Acme Gardening Society"), id_of(folder, "Bolt & Nut Ltd")
    cy = id_of(folder, "Cy Small")
    with hearing(folder) as room:
        builder = room.builder()
        answer = builder.post(f"/item/{acme}/wrong", token=builder.token(), same=f"/item/{bolt}")
        assert answer.status == 303
        assert "Di Tree" in builder.get(answer.headers["Location"]).text, "with the officers of both"
        builder.post(f"/item/{cy}/wrong", token=builder.token(), not_a_paper="yes")
        assert builder.get(f"/item/{cy}").status == 404
        assert room.store.catalog.things.wholes([EntityId(cy)]) == {}


@pytest.mark.parametrize(
    ("form", "said"),
    [({}, "Nothing was changed"), ({"same": "/item/nobody"}, "The other one was not found here")],
)
def test_what_cannot_be_kept_is_said(folder: Path, form: dict[str, str], said: str) -> None:
    with hearing(folder) as room:
        answer = room.visitor().post(f"/item/{id_of(folder, 'Bo Old')}/wrong", **form)
        assert answer.status == 422
        assert said in answer.text


def test_pages_for_the_builder_call_nothing_a_paper(folder: Path) -> None:
    with hearing(folder) as room:
        builder = room.builder()
        for path in ("", "/corrections", "/submissions", "/doubts", "/failures", "/searches"):
            assert "paper" not in shown(builder.get(f"/builder{path}").text).lower(), path
        assert "paper" not in shown(room.visitor().get("/submit").text).lower()
        doubts = shown(builder.get("/builder/doubts").text)
        assert re.search(r"Role of Cy Small \d+ % sure Secretary", doubts), doubts
        assert room.visitor().get("/item/nobody/wrong").status == 404
