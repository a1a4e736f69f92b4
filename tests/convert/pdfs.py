"""PDFs drawn for the tests with reportlab."""

import io
from collections.abc import Callable

from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = letter

SENTENCES = (
    "the method of learning from examples is applied to the problem of finding papers on the web "
    "and the results show that a small number of labeled pages is enough to train a classifier"
)
WORDS = SENTENCES.split()


def draw(*pages: Callable[[Canvas], None], encrypt: str | None = None) -> bytes:
    """A PDF of these pages."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=letter, invariant=1, encrypt=encrypt)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def text_at(
    canvas: Canvas, left: float, top: float, text: str, *, size: float = 10, font: str = "Times-Roman"
) -> None:
    """One line whose baseline is `top` points below the upper edge."""
    canvas.setFont(font, size)
    canvas.drawString(left, HEIGHT - top, text)


def filler(n_words: int, start: int = 0) -> str:
    return " ".join(WORDS[(start + i) % len(WORDS)] for i in range(n_words))


def column(canvas: Canvas, left: float, top: float, lines: list[str], *, leading: float = 12) -> None:
    for i, line in enumerate(lines):
        text_at(canvas, left, top + i * leading, line)


def paper(canvas: Canvas) -> None:
    """A page of running text, enough to be found readable."""
    text_at(canvas, 72, 80, "Finding Papers by Learning", size=18)
    column(canvas, 72, 130, [filler(12, start=5 * i) for i in range(20)])
