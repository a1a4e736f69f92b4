"""Bytes of a file to a document: sniffed, unpacked, read by a sandboxed worker, judged readable."""

import json
import shutil
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from portico.convert import frames, sniff
from portico.convert.pipes import Pipes, TooMuch, TooSlow
from portico.convert.postscript import GHOSTSCRIPT, pdf_of
from portico.convert.readable import Readability, measure
from portico.convert.sandbox import BUBBLEWRAP, Limits, Sandbox, python_command, start
from portico.convert.unpack import Damaged, Overflow, packing_of, unpack
from portico.errors import ConversionError, Unreadable
from portico.types.document import Box, Document, DocumentId, Line, PageSize, Run, Span

# A worker is replaced after this many documents, so that what leaks (pdfium caches fonts) stays small.
DOCUMENTS_PER_WORKER = 200
# The longest answer: 500 pages of dense text are 15 MB.
MAX_ANSWER_BYTES = 128 << 20
# Packings inside packings (a .ps.gz sent with gzip once more); deeper ones are built to tire us.
MAX_PACKINGS = 2
WORKER = "portico.convert.worker"


@dataclass(frozen=True, slots=True)
class ConvertLimits:
    """How much one file may cost, and how the programs that read it are locked in."""

    timeout_s: float = 60.0
    max_memory_mb: int = 1024
    max_bytes: int = 100_000_000
    max_pages: int = 500
    max_expanded_bytes: int = 400_000_000
    sandbox: Sandbox = "bubblewrap"  # "none" reads files unprotected: only for files you trust


DEFAULT_LIMITS = ConvertLimits()


def missing_programs(limits: ConvertLimits = DEFAULT_LIMITS) -> tuple[str, ...]:
    """Debian packages of programs that converting needs and this machine does not have."""
    needed = {GHOSTSCRIPT: "ghostscript"}
    if limits.sandbox == "bubblewrap":
        needed[BUBBLEWRAP] = "bubblewrap"
    return tuple(sorted(package for program, package in needed.items() if shutil.which(program) is None))


class Converter:
    """Makes documents of bodies. Owns one worker process: started when first needed, replaced when it fails.

    To be used by one thread of one process; a pool has one in each of its processes.
    """

    def __init__(self, limits: ConvertLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._worker: Pipes | None = None
        self._n_asked = 0

    def __call__(self, body: bytes, *, media_type: str, name: str, document_id: DocumentId) -> Document:
        """The document of a body; raises ConversionError with the one reason why there is none."""
        pdf, real_type = self._as_pdf(body, declared=media_type, name=name)
        answer = self._ask(pdf, name)
        if "reason" in answer:
            raise ConversionError(f"{name}: {answer['reason']}")
        read = answer["document"]
        document = _document(read, document_id, real_type)
        _require_readable(
            measure(document.text, n_pages=len(document.pages), unmapped=read["unmapped"]), name
        )
        return document

    def close(self) -> None:
        """Ends the worker; the next call starts another."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _as_pdf(self, body: bytes, *, declared: str, name: str) -> tuple[bytes, str]:
        limits = self._limits
        if len(body) > limits.max_bytes:
            raise ConversionError(
                f"{name}: has {len(body):,} bytes, more than the {limits.max_bytes:,} allowed"
            )
        body = _unpacked(body, name, max_bytes=limits.max_expanded_bytes)
        media_type = sniff.sniff(body[: sniff.PEEK_BYTES], declared, name)
        if media_type == sniff.PDF:
            return body, media_type
        if media_type != sniff.POSTSCRIPT:
            kind = _NOT_CONVERTIBLE.get(media_type, f"is {media_type}")
            raise ConversionError(f"{name}: {kind}, not a PDF or PostScript file")
        pdf = pdf_of(
            body,
            name=name,
            timeout_s=limits.timeout_s,
            max_bytes=limits.max_expanded_bytes,
            memory_mb=limits.max_memory_mb,
            sandbox=limits.sandbox,
        )
        return pdf, media_type

    def _ask(self, pdf: bytes, name: str) -> dict[str, Any]:
        limits = self._limits
        worker = self._running_worker()
        options = {"max_pages": limits.max_pages, "timeout_s": limits.timeout_s}
        request = frames.frame(json.dumps(options).encode()) + frames.frame(pdf)
        failure = (
            f"{name}: crashes the reader, or needs more than {limits.max_memory_mb:,} MB; it may be damaged"
        )
        try:
            answer = worker.exchange(
                request, timeout_s=limits.timeout_s, max_answer=MAX_ANSWER_BYTES, is_whole=frames.is_whole
            )
        except TooSlow:
            failure, answer = f"{name}: was not read within {limits.timeout_s:g} s", b""
        except TooMuch:
            failure, answer = f"{name}: holds more than {MAX_ANSWER_BYTES:,} bytes of text", b""
        if not frames.is_whole(answer):
            self.close()
            raise ConversionError(failure)
        read: dict[str, Any] = json.loads(answer[frames.LENGTH.size :])
        return read

    def _running_worker(self) -> Pipes:
        if self._n_asked >= DOCUMENTS_PER_WORKER:
            self.close()
        if self._worker is None:
            # Processor time is counted anew for each document, by the worker itself.
            cpu_s = int(DOCUMENTS_PER_WORKER * self._limits.timeout_s)
            limits = Limits(memory_mb=self._limits.max_memory_mb, cpu_s=cpu_s)
            self._worker = start(python_command(WORKER), limits=limits, sandbox=self._limits.sandbox)
            self._n_asked = 0
        self._n_asked += 1
        return self._worker


_NOT_CONVERTIBLE = {
    sniff.EMPTY: "is empty (0 bytes)",
    sniff.HTML: "is a web page (HTML)",
    sniff.TEXT: "is plain text",
    sniff.OTHER: "is of an unknown kind",
    sniff.DVI: "is a DVI file (make it a PDF with dvipdfmx of the Debian package texlive-binaries)",
}


def _unpacked(body: bytes, name: str, *, max_bytes: int) -> bytes:
    for _ in range(MAX_PACKINGS):
        packing = packing_of(body)
        if not packing:
            break
        try:
            body = unpack(body, packing, max_bytes=max_bytes)
        except Overflow:
            raise ConversionError(
                f"{name}: unpacks ({packing}) to more than the {max_bytes:,} bytes allowed"
            ) from None
        except Damaged as error:
            raise ConversionError(
                f"{name}: cannot be unpacked ({packing}): {error}; fetch or save it again"
            ) from None
    return body


def _require_readable(readability: Readability, name: str) -> None:
    # The place for OCR: both kinds of unreadable file still show their pages as pictures.
    if readability.is_scan:
        pages = f"{readability.n_pages} {'page' if readability.n_pages == 1 else 'pages'}"
        found = (
            f"only {readability.n_words} words on"
            if readability.n_words
            else "no text layer, only pictures on"
        )
        raise Unreadable(
            f"{name}: has {found} {pages}, so it may be a scan;"
            " give it a text layer by OCR (ocrmypdf, say) and add it again"
        )
    if readability.is_gibberish:
        raise Unreadable(
            f"{name}: the text layer is gibberish (only {readability.known:.0%} of its words are known words;"
            f" fonts without a character map: {readability.unmapped:.0%} of the glyphs have no name);"
            " make a new one by OCR (ocrmypdf --force-ocr, say) and add it again"
        )


def _document(read: dict[str, Any], document_id: DocumentId, media_type: str) -> Document:
    lines: list[Line] = []
    texts: list[str] = []
    start = 0
    for page, block, left, top, right, bottom, stretches in read["lines"]:
        runs = []
        end = start
        for text, font, size, raised in stretches:
            name, bold, italic = read["fonts"][font]
            runs.append(Run(Span(end, end + len(text)), name, size, bold, italic, raised))
            end += len(text)
            texts.append(text)
        lines.append(Line(Span(start, end), page, block, Box(left, top, right, bottom), tuple(runs)))
        texts.append("\n")
        start = end + 1
    pages = tuple(PageSize(width, height) for width, height in read["pages"])
    return Document(document_id, media_type, "".join(texts[:-1]), tuple(lines), pages)
