"""How fast PDFs become documents, against pdfium's own plain text extraction in the same run.

    python benchmarks/convert.py FOLDER [--files N]

Reads every PDF under FOLDER in turn with both, so that a busy machine slows both alike. Prints pages per
second of processor time, the ratio, and documents per second through the whole sandboxed converter.
"""

import argparse
import statistics
import sys
import time
from ctypes import c_ushort
from pathlib import Path

import pypdfium2_raw as pdfium

from portico.convert.converter import Converter
from portico.convert.pdf import read_pdf
from portico.errors import InputError
from portico.types.document import DocumentId


def plain_text(body: bytes) -> int:
    """What pdfium does alone: characters in the order of the file, no layout. Gives the number of pages."""
    document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
    n_pages: int = pdfium.FPDF_GetPageCount(document)
    for index in range(n_pages):
        page = pdfium.FPDF_LoadPage(document, index)
        text_page = pdfium.FPDFText_LoadPage(page)
        n_chars = pdfium.FPDFText_CountChars(text_page)
        units = (c_ushort * (n_chars + 1))()
        pdfium.FPDFText_GetText(text_page, 0, n_chars, units)
        bytes(units).decode("utf-16-le", "replace")
        pdfium.FPDFText_ClosePage(text_page)
        pdfium.FPDF_ClosePage(page)
    pdfium.FPDF_CloseDocument(document)
    return n_pages


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=1000, help="at most so many files")
    options = parser.parse_args()
    paths = sorted(options.folder.rglob("*.pdf"))[: options.files]
    pdfium.FPDF_InitLibrary()
    n_pages = 0
    plain_s = layout_s = 0.0
    ratios = []
    for body in (path.read_bytes() for path in paths):
        start = time.process_time()
        n_pages += plain_text(body)
        middle = time.process_time()
        read_pdf(body, max_pages=10_000)
        end = time.process_time()
        plain_s, layout_s = plain_s + middle - start, layout_s + end - middle
        ratios.append((end - middle) / (middle - start))
    say(f"{len(paths)} files, {n_pages} pages")
    say(f"pdfium, plain text:   {n_pages / plain_s:7.1f} pages/s")
    say(f"portico, with layout: {n_pages / layout_s:7.1f} pages/s")
    say(
        f"time against pdfium:  {layout_s / plain_s:7.2f} times (median file {statistics.median(ratios):.2f})"
    )
    start = time.perf_counter()
    n_refused = 0
    with Converter() as converter:
        for path in paths:
            try:
                converter(path.read_bytes(), media_type="", name=path.name, document_id=DocumentId(path.name))
            except InputError:
                n_refused += 1
    elapsed = time.perf_counter() - start
    say(f"whole converter:      {len(paths) / elapsed:7.2f} documents/s of wall clock, {n_refused} refused")


if __name__ == "__main__":
    main()
