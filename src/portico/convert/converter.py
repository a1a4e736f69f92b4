"""Bytes of a file to a document: sniffed, unpacked, read by a sandboxed worker, judged readable."""

import json
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from portico.convert import frames
from portico.convert.pipes import Pipes, TooMuch, TooSlow
from portico.convert.sandbox import Limits, Sandbox, python_command, start
from portico.errors import ConversionError
from portico.types.document import Box, Document, DocumentId, Line, PageSize, Run, Span

VERSION = 1
"""Raised whenever the same bytes may give another document: work done by older versions is done again."""


@dataclass(frozen=True, slots=True)
class ConvertLimits:
    """How much one file may cost, and how it is locked in."""

    timeout_s: float = 60.0
    max_memory_mb: int = 1024
    max_bytes: int = 100_000_000
    max_pages: int = 500
    max_expanded_bytes: int = 400_000_000
    sandbox: Sandbox = "bubblewrap"


class Converter:
    def __init__(self, limits: ConvertLimits = ConvertLimits()) -> None:
        self._limits = limits
        self._worker: Pipes | None = None
        self._n = 0

    def __call__(self, body: bytes, *, media_type: str, name: str, document_id: DocumentId) -> Document:
        answer = self._ask(body, name)
        if "reason" in answer:
            raise ConversionError(f"{name}: {answer['reason']}")
        return _document(answer["document"], document_id, media_type)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, body: bytes, name: str) -> dict[str, Any]:
        if self._worker is None:
            limits = Limits(memory_mb=self._limits.max_memory_mb, cpu_s=36000)
            self._worker = start(
                python_command("portico.convert.worker"), limits=limits, sandbox=self._limits.sandbox
            )
        options = json.dumps({"max_pages": self._limits.max_pages, "timeout_s": self._limits.timeout_s})
        request = frames.frame(options.encode()) + frames.frame(body)
        try:
            answer = self._worker.exchange(
                request, timeout_s=self._limits.timeout_s, max_answer=1 << 28, is_whole=frames.is_whole
            )
        except TooSlow:
            self.close()
            raise ConversionError(f"{name}: did not finish within {self._limits.timeout_s:g} s") from None
        except TooMuch:
            self.close()
            raise ConversionError(f"{name}: too much") from None
        if not frames.is_whole(answer):
            self.close()
            raise ConversionError(f"{name}: crashed the converter")
        result: dict[str, Any] = json.loads(answer[frames.LENGTH.size :])
        return result


def _document(read: dict[str, Any], document_id: DocumentId, media_type: str) -> Document:
    lines, texts = [], []
    start = 0
    fonts = read["fonts"]
    for page, block, left, top, right, bottom, stretches in read["lines"]:
        runs = []
        at = start
        for text, font, size, raised in stretches:
            name, bold, italic = fonts[font]
            runs.append(Run(Span(at, at + len(text)), name, size, bold, italic, raised))
            at += len(text)
            texts.append(text)
        texts.append("\n")
        lines.append(Line(Span(start, at), page, block, Box(left, top, right, bottom), tuple(runs)))
        start = at + 1
    pages = tuple(PageSize(width, height) for width, height in read["pages"])
    return Document(document_id, media_type, "".join(texts)[:-1], tuple(lines), pages)
