"""The program inside the sandbox: receives tasks and files as frames, returns JSON."""

import gc
import json
import os
import resource
import sys
from base64 import b64encode
from typing import Any, BinaryIO

from portico.convert.page_styles import PageError
from portico.convert.pdf import PdfError, draw_page, read_pdf, read_recognized
from portico.convert.pictures import PictureMark
from portico.convert.pipes import ATTACHED, LENGTH, make_frame, read_frame
from portico.convert.sniffing import Damaged, Overflow, detect_packing, unpack

# Nested compression (a .ps.gz sent with gzip once more); deeper nesting is an attack.
MAX_PACKINGS = 2


def main() -> None:
    requests, answers = sys.stdin.buffer, _private_output()
    # Pages are trees of many small values and no circles: to look for circles among them costs a tenth of the
    # time and frees nothing.
    gc.disable()
    while (options := read_frame(requests)) is not None:
        body = read_frame(requests)
        if body is None:
            return
        answer = _answer(body, json.loads(options))
        unpacked: bytearray | None = answer.pop("unpacked", None)
        encoded = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        if unpacked is None:
            answers.write(make_frame(encoded))
        else:  # beside the answer as it is, for it may be large
            answers.write(LENGTH.pack(len(encoded) + len(ATTACHED) + len(unpacked)))
            answers.writelines((encoded, ATTACHED, unpacked))
        answers.flush()


def _private_output() -> BinaryIO:
    """A copy of standard output; anything else printed to the original is discarded."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return answers


def _answer(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    _allow_cpu(options["timeout_s"])
    try:
        if options["task"] == "unpack":
            return {"unpacked": _unpack(body, max_bytes=options["max_bytes"])}
        return {"found": _TASKS[options["task"]](body, options)}
    except (PdfError, PageError) as error:
        return {"reason": str(error)}
    except MemoryError:
        return {"reason": "needs more memory than is allowed; it may be built to exhaust it"}
    except RecursionError:
        return {"reason": "is nested too deeply to be read"}


def _unpack(body: bytes | bytearray, *, max_bytes: int) -> bytearray:
    """The content of a compressed file; raises PageError."""
    for _ in range(MAX_PACKINGS):
        packing = detect_packing(body)
        if not packing:
            break
        try:
            body = unpack(body, packing, max_bytes=max_bytes)
        except Overflow:
            raise PageError(f"unpacks ({packing}) to more than the {max_bytes:,} bytes allowed") from None
        except Damaged as error:
            raise PageError(f"cannot be unpacked ({packing}): {error}; fetch or save it again") from None
    return bytearray(body)


def _read(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    return read_pdf(body, max_pages=options["max_pages"])


def _draw(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    marks = [
        PictureMark(left, top, right, bottom, label, tuple(color))
        for left, top, right, bottom, label, color in options["marks"]
    ]
    picture, points_per_dot = draw_page(
        body, options["page"], dots_per_inch=options["dots_per_inch"], marks=marks
    )
    return {"png": b64encode(picture).decode(), "points_per_dot": points_per_dot}


def _recognize(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    return read_recognized(json.loads(body))


def _page(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    # Imported here: most workers never see a web page, and its parser adds to the start of each.
    from portico.convert.html import read_html

    return read_html(body, media_type=options["media_type"])


def _flow(body: bytes, options: dict[str, Any]) -> dict[str, Any]:
    from portico.convert.flowing_files import read_flowing

    return read_flowing(body, **options["file"])


_TASKS = {"page": _page, "read": _read, "draw": _draw, "recognize": _recognize, "flow": _flow}


def _allow_cpu(seconds: float) -> None:
    """Limit the processor time of this document: the kernel ends the process, whatever pdfium is doing."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(usage.ru_utime + usage.ru_stime + seconds) + 1, hard))


if __name__ == "__main__":
    main()
