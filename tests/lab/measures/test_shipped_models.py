"""Papers are read as well as they were: from file to record, by the converter and models that ship."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

from portico.convert.converter import Converter
from portico.convert.sniffing import PEEK_BYTES, sniff_media_type
from portico.domains.registry import find_domain
from portico.extract.extractor import load_extractor
from portico.lab.datasets.paper_truth import PaperTruth
from portico.lab.measures.papers import Extract, measure_papers, run_paper, score_papers
from portico.sample.banks import FULL
from portico.sample.generate import write_sample_web
from portico.types.document import Document, DocumentId
from tests.convert.pdfs import HEIGHT, WIDTH, draw, filler, text_at

FLOORS = json.loads((Path(__file__).parents[3] / "gates" / "floors.json").read_text(encoding="utf-8"))
MEASURES = ("title", "authors_f1", "abstract", "references_f1")
EVERY = 4  # sample papers: of so many one is read, in all its formats and layouts

ConvertFile = Callable[[Path], Document]


@pytest.fixture(scope="module")
def convert() -> Iterator[ConvertFile]:
    with Converter() as converter:

        def read(path: Path) -> Document:
            body = path.read_bytes()
            media_type = sniff_media_type(body[:PEEK_BYTES], name=path.name)
            name = DocumentId(sha256(body).hexdigest())
            return converter(body, media_type=media_type, name=path.name, document_id=name)

        yield read


@pytest.fixture(scope="module")
def extract() -> Extract:
    return replace(load_extractor(find_domain("papers")), is_choosy=False)  # as of a folder of one's own


def check(name: str, scores: dict[str, float | int | None]) -> None:
    """Fails with everything that was lost; what has no floor is not asked."""
    floors = {measure: FLOORS.get(f"shipped.{name}.{measure}") for measure in MEASURES}
    lost = [
        f"{name}: {measure} is {scores[measure]}, it was at least {floor}"
        for measure, floor in floors.items()
        if floor is not None and (scores[measure] or 0) < floor
    ]
    assert not lost, "\n".join(["", *lost])
    assert any(floor is not None for floor in floors.values()), f"gates/floors.json has nothing of {name}"


def test_sample_papers(tmp_path: Path, convert: ConvertFile, extract: Extract) -> None:
    web = write_sample_web(tmp_path / "web", scale=FULL)
    rows = [json.loads(line) for line in (web.folder / "truth.jsonl").read_text().splitlines()]
    truths = [truth_of(row, url, web.folder) for row in rows[::EVERY] for url in row["urls"][:1]]
    check("sample", score_papers([run_paper(truth, convert, extract) for truth in truths]))


def truth_of(row: dict[str, object], url: str, folder: Path) -> PaperTruth:
    parts = urlsplit(url)
    references = row["references"]
    assert isinstance(references, list)
    return PaperTruth(
        folder / "sites" / parts.netloc / parts.path.lstrip("/"),
        str(row["title"]),
        tuple(row["authors"]),  # type: ignore[arg-type]
        str(row["abstract"]),
        tuple(reference["raw"] for reference in references),
    )


@dataclass(frozen=True)
class Paper:
    """What a drawn paper says."""

    title: str
    authors: tuple[str, ...]
    home: str
    abstract: str
    references: tuple[str, ...]


PAPERS = (
    Paper(
        "Estimating the Difficulty of Questions from the Answers of Crowds",
        ("Marta Lindqvist", "Paul R. Okafor"),
        "Department of Computer Science, University of Eastmere",
        "Questions differ in how hard they are, and so do people in what they know. We describe a model "
        "that learns both from answers alone. On three collections of questions it orders them better "
        "than the share of right answers does, and it needs a third of the answers.",
        (
            (
                "A. Dawid and A. Skene. Maximum likelihood estimation of observer error-rates. Applied "
                "Statistics, 28(1):20-28, 1979."
            ),
            (
                "P. Welinder, S. Branson, and P. Perona. The multidimensional wisdom of crowds. In Advances "
                "in Neural Information Processing Systems, pages 2424-2432, 2010."
            ),
            "G. Rasch. Probabilistic Models for Some Attainment Tests. University of Chicago Press, 1980.",
        ),
    ),
    Paper(
        "Incremental Parsing with Bounded Memory",
        ("Jonas Weber", "Aiko Tanaka", "Carla M. Ruiz"),
        "Institute for Language and Computation, Lindholm",
        "Readers understand a sentence while it is being said and remember little of how it was put "
        "together. We study parsers that may keep only a few open constituents at a time. Four are "
        "enough for all but one in a hundred sentences of a treebank, and parsing takes linear time.",
        (
            (
                "S. Abney and M. Johnson. Memory requirements and local ambiguities of parsing strategies. "
                "Journal of Psycholinguistic Research, 20(3):233-250, 1991."
            ),
            (
                "J. Nivre. Incrementality in deterministic dependency parsing. In Proceedings of the "
                "Workshop on Incremental Parsing, pages 50-57, 2004."
            ),
            "G. Miller. The magical number seven, plus or minus two. Psychological Review, 63:81-97, 1956.",
            (
                "W. Schuler, T. Miller, and L. Schwartz. Broad-coverage parsing using human-like memory "
                "constraints. Computational Linguistics, 36(1):1-30, 2010."
            ),
        ),
    ),
)
MARGIN, LEADING = 72.0, 12.0


def one_column(paper: Paper) -> bytes:
    """Everything across the page, the title in the middle, references with numbers in brackets."""

    def front(canvas: Canvas) -> None:
        top = put(canvas, 80, paper.title, size=17, font="Times-Bold", centered=True)
        top = put(canvas, top + 14, ", ".join(paper.authors), size=12, centered=True)
        top = put(canvas, top + 4, paper.home, size=10, centered=True)
        top = put(canvas, top + 20, "Abstract", size=11, font="Times-Bold", centered=True)
        top = put(canvas, top + 4, paper.abstract)
        top = put(canvas, top + 20, "1 Introduction", size=13, font="Times-Bold")
        put(canvas, top + 6, filler(260))

    def back(canvas: Canvas) -> None:
        top = put(canvas, 80, filler(160, start=9))
        top = put(canvas, top + 20, "References", size=13, font="Times-Bold")
        for number, reference in enumerate(paper.references, start=1):
            top = put(canvas, top + 5, f"[{number}] {reference}")

    return draw(front, back)


def two_columns(paper: Paper) -> bytes:
    """The title across the page, one author above the other, the rest in two columns."""
    width, right = (WIDTH - 2 * MARGIN - 20) / 2, WIDTH / 2 + 10

    def front(canvas: Canvas) -> None:
        top = put(canvas, 80, paper.title, size=16, font="Helvetica-Bold", centered=True)
        for author in paper.authors:
            top = put(canvas, top + 4, author, size=11, font="Helvetica", centered=True)
        top = put(canvas, top + 3, paper.home, size=9, font="Helvetica", centered=True) + 24
        below = put(canvas, top, "Abstract", size=11, font="Helvetica-Bold", width=width)
        below = put(canvas, below + 4, paper.abstract, size=9, width=width)
        below = put(canvas, below + 16, "1. INTRODUCTION", size=10, font="Helvetica-Bold", width=width)
        put(canvas, below + 4, filler(190), size=9, width=width)
        below = put(canvas, top, filler(200, start=3), size=9, left=right, width=width)
        below = put(canvas, below + 16, "REFERENCES", size=10, font="Helvetica-Bold", left=right, width=width)
        for number, reference in enumerate(paper.references, start=1):
            below = put(canvas, below + 3, f"{number}. {reference}", size=9, left=right, width=width)

    return draw(front)


def report(paper: Paper) -> bytes:
    """A technical report: a line above the title, everything at the left, references without numbers."""

    def front(canvas: Canvas) -> None:
        put(canvas, 60, "Technical Report TR-98-14", size=9, font="Helvetica")
        top = put(canvas, 120, paper.title, size=20, font="Helvetica-Bold")
        for author in paper.authors:
            top = put(canvas, top + 6, author, size=12, font="Helvetica")
        top = put(canvas, top + 2, paper.home, size=10, font="Helvetica-Oblique")
        top = put(canvas, top + 26, f"Abstract. {paper.abstract}", size=10)
        top = put(canvas, top + 24, "Introduction", size=13, font="Helvetica-Bold")
        put(canvas, top + 6, filler(230), size=10)

    def back(canvas: Canvas) -> None:
        top = put(canvas, 80, "References", size=13, font="Helvetica-Bold")
        for reference in sorted(paper.references):
            first, *others = simpleSplit(reference, "Times-Roman", 10, WIDTH - 2 * MARGIN)
            top = put(canvas, top + 6, first)
            for line in others:
                top = put(canvas, top, line, left=MARGIN + 18)

    return draw(front, back)


def put(
    canvas: Canvas,
    top: float,
    text: str,
    *,
    size: float = 10,
    font: str = "Times-Roman",
    left: float = MARGIN,
    width: float = WIDTH - 2 * MARGIN,
    centered: bool = False,
) -> float:
    """Writes the text in lines from there on; gives where the next line would begin."""
    for line in simpleSplit(text, font, size, width):
        start = (WIDTH - canvas.stringWidth(line, font, size)) / 2 if centered else left
        text_at(canvas, start, top, line, size=size, font=font)
        top += size * LEADING / 10
    assert top < HEIGHT - 20, "the page is full"
    return top


@pytest.mark.parametrize("layout", [one_column, two_columns, report], ids=lambda layout: layout.__name__)
def test_drawn_papers(
    tmp_path: Path, convert: ConvertFile, extract: Extract, layout: Callable[[Paper], bytes]
) -> None:
    check(
        layout.__name__,
        score_papers([run_paper(truth, convert, extract) for truth in drawn(tmp_path, layout)]),
    )


def drawn(folder: Path, layout: Callable[[Paper], bytes]) -> Sequence[PaperTruth]:
    truths = []
    for number, paper in enumerate(PAPERS):
        path = folder / f"{number}.pdf"
        path.write_bytes(layout(paper))
        truths.append(PaperTruth(path, paper.title, paper.authors, paper.abstract, paper.references))
    return truths


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["pmlr_pdf", "ps_papers", "jose_pdf", "latex_pdf", "excite", "wild_pdf"])
def test_real_papers(labelled_data: Path, convert: ConvertFile, extract: Extract, name: str) -> None:
    folder = labelled_data / "data" / "papers" / name
    check(name, measure_papers(folder, convert=convert, extract=extract)[name])
