"""Papers are told from slides, forms and garbage as soon as they are fetched."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from portico.convert.converter import DEFAULT_LIMITS
from portico.domains.papers import PAPERS
from portico.pipeline.sources.recognizing import DocumentJudge
from portico.types.frontier import Obtained
from portico.types.page import Url
from tests.pipeline.conftest import SampleSite

N_LOOKED_AT = 12  # of each sort; each takes a tenth of a second


@pytest.fixture
def judge() -> Iterator[DocumentJudge]:
    judge = DocumentJudge(PAPERS, DEFAULT_LIMITS)
    yield judge
    judge.close()


def fetched(path: Path) -> Obtained:
    return Obtained(Url(f"http://a.test/{path.name}"), 200, "application/pdf", path.read_bytes())


def test_papers_are_told_from_other_documents(site: SampleSite, judge: DocumentJudge) -> None:
    sites = site.web.folder / "sites"

    def find_files(name: str) -> list[Path]:
        rows = [json.loads(row) for row in (site.web.folder / name).read_text("utf-8").splitlines()]
        urls = [url for row in rows for url in row.get("urls") or [row["url"]]]
        paths = [sites / url.removeprefix("http://") for url in urls if url.endswith(".pdf")]
        return [path for path in paths if path.is_file()]

    papers, others = find_files("truth.jsonl"), find_files("truth_other.jsonl")
    right = [judge(fetched(path)) for path in papers[:N_LOOKED_AT]]
    wrong = [judge(fetched(path)) for path in others[:N_LOOKED_AT]]
    assert len(right) == N_LOOKED_AT
    assert sum(right) >= 0.9 * len(right)
    assert len(wrong) == N_LOOKED_AT
    assert sum(wrong) <= 0.1 * len(wrong)


@pytest.mark.parametrize("body", [b"", b"%PDF-1.4", b"<html>not here", bytes(range(256)) * 20])
def test_garbage_is_no_paper(body: bytes, judge: DocumentJudge) -> None:
    assert not judge(Obtained(Url("http://a.test/a.pdf"), 200, "application/pdf", body))
