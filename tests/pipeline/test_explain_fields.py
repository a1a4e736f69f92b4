"""What `portico explain` says of a paper's fields: value, probability, page and box."""

import json
from pathlib import Path

import pytest
from reportlab.lib.utils import ImageReader

from portico.pipeline.explain.fields import COLORS, DOTS_PER_INCH
from tests.convert.hostile import GOOD
from tests.pipeline.portals import portico


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("portal")
    (folder / "paper.pdf").write_bytes(GOOD)
    built = portico("build", folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_a_field_is_shown_with_its_probability_and_place(portal: Path) -> None:
    said = portico("explain", portal / "paper.pdf", portal, "--json")
    assert said.returncode == 0, said.stderr
    sections = {section["heading"]: section for section in json.loads(said.stdout)["sections"]}
    fields = sections["Fields"]
    rows = {row[0]: dict(zip(fields["columns"], row, strict=True)) for row in fields["rows"]}
    title = rows["title"]
    assert title["value"] == "Learning to Find Research Papers"
    assert 0.0 < float(title["probability"]) < 1.0
    assert title["read from"].startswith("header of ")
    page, _, box = title["place"].partition(", ")
    left, top, _, right, bottom, unit = box.split()
    assert (page, unit) == ("page 1", "pt")
    assert 115 < int(left) < 125 < int(right)
    assert 60 < int(top) < 80 <= int(bottom), "around its baseline, 80 points below the edge"
    assert rows["author"]["value"] == "Maria Lopez"


def test_the_page_is_drawn_with_the_fields_framed(portal: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "why.png"
    said = portico("explain", portal / "paper.pdf", portal, "--page", drawn)
    assert said.returncode == 0, said.stderr
    image = ImageReader(drawn)
    width, _ = image.getSize()
    pixels = image.getRGBData()  # type: ignore[no-untyped-call]
    first_color = bytes(COLORS[0])
    scale = DOTS_PER_INCH / 72
    framed = [at // 3 for at in range(0, len(pixels), 3) if pixels[at : at + 3] == first_color]
    assert framed, "the color of the first field is on the page"
    tops = [at // width / scale for at in framed]
    assert min(tops) > 40
    assert max(tops) < 180, "title, author and abstract are in the upper part, each with a color of its own"


def test_what_is_no_paper_has_no_page(portal: Path, tmp_path: Path) -> None:
    said = portico("explain", "nothing", portal, "--page", tmp_path / "why.png")
    assert said.returncode == 2
    assert "nor a file or paper of this portal" in said.stderr
    assert not (tmp_path / "why.png").exists()
