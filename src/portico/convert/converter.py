"""Converts a file to a document: detects its type, unpacks it, reads it in the sandbox, checks the text."""

import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Literal, Self

from portico.convert import pipes, sniffing
from portico.convert.outside_programs import (
    OCR_DOTS_PER_INCH,
    TESSERACT_PACKAGE,
    PrintLimits,
    is_tesseract_installed,
    print_dvi,
    print_postscript,
    read_picture,
)
from portico.convert.pipes import Pipes, TooMuch, TooSlow
from portico.convert.readability import Readability, measure_readability
from portico.convert.sandbox import ProcessLimits, Sandbox, make_python_command, require_worker, start_process
from portico.convert.sniffing import detect_packing
from portico.errors import ConversionError, Unreadable
from portico.types.document import Box, Document, DocumentId, Line, PageSize, Span, TextRun
from portico.types.garbage_collection import without_collecting

# A worker is replaced after this many documents, to limit memory leaks (pdfium caches fonts).
DOCUMENTS_PER_WORKER = 200
# The longest answer: 500 pages of dense text are 15 MB.
MAX_ANSWER_BYTES = 128 << 20
# Maximum characters of a line; longer ones are left out. Printed lines have about a hundred; those with ten
# thousand are data, or an attack on later stages, whose time may grow with the square of the length.
LONGEST_LINE = 10_000
# Maximum bytes of an answer without the unpacked content, which has a limit of its own.
BARE_ANSWER_BYTES = 4096
WORKER = "portico.convert.worker"

Ocr = Literal["auto", "never"]


@dataclass(frozen=True, slots=True)
class ConvertLimits:
    """The limits of converting one file, and the sandbox of the programs that read it."""

    timeout_s: float = 60.0
    max_memory_mb: int = 1024
    max_bytes: int = 100_000_000
    max_pages: int = 500
    max_expanded_bytes: int = 400_000_000
    sandbox: Sandbox = "auto"  # "none" reads files unprotected: only for files you trust
    ocr: Ocr = "never"  # "auto" reads scans and gibberish by OCR if tesseract is installed
    max_ocr_pages: int = 40
    ocr_page_timeout_s: float = 60.0  # a dense page takes 4 s, on a busy machine many times that


DEFAULT_LIMITS = ConvertLimits()

MarkOnPage = tuple[float, float, float, float, str, tuple[int, int, int]]
"""Left, top, right and bottom in points from the upper left corner; the label; the color in red, green and
blue."""


@dataclass(frozen=True, slots=True)
class PictureRequest:
    """What to draw: a page, counted from 0, its resolution, and marks on it."""

    page: int
    dots_per_inch: float
    marks: tuple[MarkOnPage, ...] = ()


class Converter:
    """Converts bodies to documents. Owns one worker process: started when first needed, replaced when it
    fails.

    For use by one thread of one process; a pool has one in each of its processes.
    """

    def __init__(self, limits: ConvertLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._worker: Pipes | None = None
        self._n_asked = 0

    def __call__(self, body: bytes, *, media_type: str, name: str, document_id: DocumentId) -> Document:
        """The document of a body; raises ConversionError with the one reason why there is none."""
        body, real_type = self._opened(body, declared=media_type, name=name)
        if _is_flowing(real_type, name):
            return self._flowing(body, real_type, name, document_id)
        pdf = self._as_pdf(body, real_type, name)
        read = self._ask("read", pdf, name, max_pages=self._limits.max_pages)
        document = _document(read, document_id, real_type)
        readability = measure_readability(
            document.text, n_pages=len(document.pages), unmapped=read["unmapped"]
        )
        if not (readability.is_scan or readability.is_gibberish):
            return document
        if self._limits.ocr == "never" or not is_tesseract_installed():
            raise Unreadable(_unreadable(readability, name, may_ocr=self._limits.ocr == "auto"))
        return self._recognized(pdf, document, name)

    def page(self, body: bytes, *, media_type: str, name: str, document_id: DocumentId) -> Document:
        """The document of a web page; `detect_media_type` may name its character set."""
        self._check_size(body, name)
        body = self._unpacked(body, name)
        read = self._ask("page", body, name, media_type=media_type)
        return _document(read, document_id, sniffing.HTML)

    def picture(self, body: bytes, wanted: PictureRequest, *, name: str) -> bytes:
        """A page of a file as PNG."""
        body, media_type = self._opened(body, declared="", name=name)
        pdf = self._as_pdf(body, media_type, name)
        return self._picture(pdf, name, wanted)[0]

    def require_worker(self) -> None:
        """Raise SetupError if no worker starts here, whatever it should read; tried once."""
        require_worker(WORKER, self._worker_limits, self._limits.sandbox)

    @property
    def _worker_limits(self) -> ProcessLimits:
        # Processor time is counted anew for each document, by the worker itself.
        cpu_s = int(DOCUMENTS_PER_WORKER * self._limits.timeout_s)
        return ProcessLimits(memory_mb=self._limits.max_memory_mb, cpu_s=cpu_s)

    def close(self) -> None:
        """End the worker; the next call starts another."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened(self, body: bytes, *, declared: str, name: str) -> tuple[bytes, str]:
        """The decompressed body, and its actual media type."""
        self._check_size(body, name)
        body = self._unpacked(body, name)
        return body, sniffing.sniff_media_type(body[: sniffing.PEEK_BYTES], declared, name)

    def _flowing(self, body: bytes, media_type: str, name: str, document_id: DocumentId) -> Document:
        """The document of a text without pages."""
        limits = self._limits
        file = {
            "media_type": media_type,
            "max_pages": limits.max_pages,
            "max_bytes": limits.max_expanded_bytes,
        }
        read = self._ask("flow", body, name, file=file)
        return _document(read, document_id, read["media_type"])

    def _as_pdf(self, body: bytes, media_type: str, name: str) -> bytes:
        limits = self._limits
        if media_type == sniffing.PDF:
            return body
        printer = _PRINTERS.get(media_type)
        if printer is None:
            kind = _NOT_CONVERTIBLE.get(media_type, f"is {media_type}")
            raise ConversionError(f"{name}: {kind}, not a PDF or PostScript file nor a text that can be read")
        bounds = PrintLimits(
            name,
            timeout_s=limits.timeout_s,
            max_bytes=limits.max_expanded_bytes,
            memory_mb=limits.max_memory_mb,
            sandbox=limits.sandbox,
        )
        return printer(body, bounds)

    def _unpacked(self, body: bytes, name: str) -> bytes:
        if not detect_packing(body):
            return body
        allowed = self._limits.max_expanded_bytes
        max_answer = allowed + BARE_ANSWER_BYTES
        _, inside = self._exchange("unpack", body, name, max_answer=max_answer, max_bytes=allowed)
        return inside

    def _check_size(self, body: bytes, name: str) -> None:
        allowed = self._limits.max_bytes
        if len(body) > allowed:
            raise ConversionError(f"{name}: has {len(body):,} bytes, more than the {allowed:,} allowed")

    def _recognized(self, pdf: bytes, unread: Document, name: str) -> Document:
        """The document from OCR of its pages."""
        limits = self._limits
        n_pages = len(unread.pages)
        if n_pages > limits.max_ocr_pages:
            raise Unreadable(
                f"{name}: may be a scan or has a text layer of gibberish, and with {n_pages} pages it is too"
                f" long for OCR ({limits.max_ocr_pages} pages at most); give it a text layer and add it again"
            )
        pages = []
        for page in range(n_pages):
            picture, points_per_dot = self._picture(pdf, name, PictureRequest(page, OCR_DOTS_PER_INCH))
            table = read_picture(
                picture,
                name=name,
                timeout_s=limits.ocr_page_timeout_s,
                memory_mb=limits.max_memory_mb,
                sandbox=limits.sandbox,
            )
            size = unread.pages[page]
            pages.append([size.width, size.height, points_per_dot, table])
        read = self._ask("recognize", json.dumps(pages).encode(), name)
        document = _document(read, unread.id, unread.media_type)
        readability = measure_readability(document.text, n_pages=n_pages, unmapped=0.0)
        if readability.is_scan or readability.is_gibberish:
            raise Unreadable(
                f"{name}: has no text that can be read, not even by OCR ({readability.n_words} words found,"
                f" {readability.known:.0%} of them known)"
            )
        return document

    def _picture(self, pdf: bytes, name: str, wanted: PictureRequest) -> tuple[bytes, float]:
        """The page as PNG, and the width of a pixel in points."""
        drawn = self._ask("draw", pdf, name, **asdict(wanted))
        return b64decode(drawn["png"]), drawn["points_per_dot"]

    def _ask(self, task: str, body: bytes, name: str, **options: Any) -> dict[str, Any]:
        answer, _ = self._exchange(task, body, name, max_answer=MAX_ANSWER_BYTES, **options)
        found: dict[str, Any] = answer["found"]
        if lines := found.get("lines"):
            found["lines"] = [line for line in lines if sum(len(run[0]) for run in line[-1]) <= LONGEST_LINE]
            if not found["lines"]:
                raise ConversionError(f"{name}: has only lines of more than {LONGEST_LINE:,} characters")
        return found

    def _exchange(
        self, task: str, body: bytes, name: str, *, max_answer: int, **options: Any
    ) -> tuple[dict[str, Any], bytes]:
        """The worker's answer, and the bytes that come with it."""
        limits = self._limits
        worker = self._running_worker()
        wanted = {"task": task, "timeout_s": limits.timeout_s, **options}
        request = pipes.make_frame(json.dumps(wanted).encode()) + pipes.make_frame(body)
        failure = (
            f"{name}: crashes the reader or needs more than {limits.max_memory_mb:,} MB; it may be damaged"
        )
        try:
            received = worker.exchange(
                request, timeout_s=limits.timeout_s, max_answer=max_answer, is_whole=pipes.is_whole
            )
        except TooSlow:
            failure, received = f"{name}: was not read within {limits.timeout_s:g} s", b""
        except TooMuch:
            failure, received = f"{name}: holds more than {max_answer:,} bytes of text", b""
        if not pipes.is_whole(received):
            self.close()
            raise ConversionError(failure)
        end = received.find(pipes.ATTACHED, pipes.LENGTH.size)
        told, attached = (received, b"") if end < 0 else (received[:end], received[end + 1 :])
        answer: dict[str, Any] = json.loads(told[pipes.LENGTH.size :])
        if "reason" in answer:
            raise ConversionError(f"{name}: {answer['reason']}")
        return answer, attached

    def _running_worker(self) -> Pipes:
        if self._n_asked >= DOCUMENTS_PER_WORKER:
            self.close()
        if self._worker is None:
            self.require_worker()
            self._worker = start_process(
                make_python_command(WORKER), limits=self._worker_limits, sandbox=self._limits.sandbox
            )
            self._n_asked = 0
        self._n_asked += 1
        return self._worker


_PRINTERS: dict[str, Callable[[bytes, PrintLimits], bytes]] = {
    sniffing.POSTSCRIPT: print_postscript,
    sniffing.DVI: print_dvi,
}
_NOT_CONVERTIBLE = {
    sniffing.EMPTY: "is empty (0 bytes)",
    sniffing.HTML: "is a web page (HTML)",
    sniffing.TEXT: "is plain text",
    sniffing.OTHER: "is of an unknown kind",
}


def _is_flowing(media_type: str, name: str) -> bool:
    """Whether it is a text without pages; a web page under another name is an error page instead of a
    paper.
    """
    if media_type == sniffing.HTML:
        return name.lower().endswith(sniffing.HTML_ENDINGS)
    return media_type in sniffing.FLOWING


def _unreadable(readability: Readability, name: str, *, may_ocr: bool) -> str:
    """Why the text cannot be used, and what to do about it."""
    remedy = (
        f"install the Debian package {TESSERACT_PACKAGE} (apt install {TESSERACT_PACKAGE}) "
        "and build again with --retry"
        if may_ocr
        else "give it a text layer by OCR (ocrmypdf --force-ocr, say) and add it again"
    )
    if readability.is_scan:
        pages = f"{readability.n_pages} {'page' if readability.n_pages == 1 else 'pages'}"
        found = (
            f"only {readability.n_words} words on"
            if readability.n_words
            else "no text layer, only pictures on"
        )
        return f"{name}: has {found} {pages}, so it may be a scan; {remedy}"
    return (
        f"{name}: the text layer is gibberish (only {readability.known:.0%} of its words are known words;"
        f" fonts without a character map: {readability.unmapped:.0%} of the glyphs have no name); {remedy}"
    )


@without_collecting()
def _document(read: dict[str, Any], document_id: DocumentId, media_type: str) -> Document:
    lines: list[Line] = []
    texts: list[str] = []
    start = 0
    for page, block, left, top, right, bottom, stretches in read["lines"]:
        runs = []
        end = start
        for text, font, size, raised in stretches:
            name, bold, italic = read["fonts"][font]
            runs.append(TextRun(Span(end, end + len(text)), name, size, bold, italic, raised))
            end += len(text)
            texts.append(text)
        box = None if left is None else Box(left, top, right, bottom)
        lines.append(Line(Span(start, end), page, block, box, tuple(runs)))
        texts.append("\n")
        start = end + 1
    pages = tuple(PageSize(width, height) for width, height in read["pages"])
    # A PDF that was printed from another format for reading is dated today, whenever that is.
    untrue = {"info:creationdate"} if media_type != sniffing.PDF else set()
    asides = tuple((name, value) for name, value in read.get("asides", ()) if name not in untrue)
    return Document(document_id, media_type, "".join(texts[:-1]), tuple(lines), pages, asides)
