"""Things that are exported, imported and exported again keep all their sources."""

import pytest

from portico.domains.organisations import ORGANISATIONS
from portico.pipeline.collections.declared.records import read_thing, without_mark

PAGES = ["https://a.example/board#team", "https://b.example/"]


@pytest.mark.parametrize(
    ("sources", "kept"), [(PAGES, PAGES), (["/home/x.html"], ["record:c#x1"]), ([], ["record:c#x1"])]
)
def test_every_page_stays_with_its_thing(sources: list[str], kept: list[str]) -> None:
    told = {"id": "x1", "kind": "officer", "fields": {"name": ["Ann Bell"]}, "sources": sources}
    read = read_thing(told, ORGANISATIONS.kinds, catalog="c")
    assert read is not None
    assert len(set(read.sources)) == len(read.sources)
    assert [without_mark(source) for source in read.sources] == kept
