"""The model that ships reads layouts that nobody looked at while it was made."""

import pytest

from portico.lab.datasets.gallery import print_gallery_page
from portico.lab.datasets.gallery_closed import CLOSED_LAYOUTS
from portico.lab.datasets.gallery_open import OPEN_LAYOUTS
from portico.lab.measures.organisations import measure_gallery
from tests.lab.test_floors import FLOORS


@pytest.mark.parametrize("name", [*OPEN_LAYOUTS, *CLOSED_LAYOUTS])
def test_every_layout_prints_what_its_truth_says(name: str) -> None:
    html, site = print_gallery_page(name, {**OPEN_LAYOUTS, **CLOSED_LAYOUTS}[name], number=1, seed=1)
    assert site.officers or site.contacts
    for label, value in site.contacts:
        assert label == "address" or value in html


def test_layouts_nobody_looked_at_are_read() -> None:
    figures = measure_gallery()["not looked at"]
    floors = {
        tuple(name.split(".")[1:]): floor for name, floor in FLOORS.items() if name.startswith("gallery.")
    }
    for (measure, name), floor in floors.items():
        assert figures[measure][name] >= floor, f"{measure}, {name}: {figures[measure]}"
