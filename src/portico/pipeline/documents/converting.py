"""Stage 2: converts files to documents with layout."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from portico.convert import VERSION
from portico.convert.converter import DEFAULT_LIMITS, ConvertLimits
from portico.convert.sandbox import describe_weakness
from portico.convert.sniffing import FLOWING, HTML, is_convertible
from portico.engine.work import Job
from portico.pipeline.portal import Portal, is_web
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun, ItemInput, ItemStage, MakePayload, run_item_stage
from portico.store.documents.pages import BodyRow
from portico.types.page import BodyHash
from portico.types.stages import StageName

# A worker limits itself; only if that fails is it killed after this additional time.
GRACE_S = 60.0


def run_convert(portal: Portal, run: BuildRun) -> StageReport:
    """Convert every body of a suitable type once, no matter how many sources it has."""
    # A builder's own file should get an answer whatever it is; most web pages are not documents.
    bodies: dict[str, BodyRow] = {
        row.body: row
        for row in portal.store.documents.pages.bodies(records=False)
        if is_convertible(row.media_type) or not is_web(row.source)
    }
    pages = _find_page_documents(portal, bodies)
    bodies |= pages
    limits = read_limits(portal)
    ocr_s = limits.max_ocr_pages * limits.ocr_page_timeout_s if limits.ocr == "auto" else 0.0

    def inputs() -> Iterator[ItemInput]:
        for body, row in bodies.items():
            # A key of their own, so that files an older version could not read are read now.
            flowing = f"{body} flowing" if row.media_type.partition("+")[0] in FLOWING else body
            yield ItemInput(body, f"{body} page" if body in pages else flowing, row.source)

    def prepare() -> tuple[Job, MakePayload]:
        # Imported here: what workers load takes a third of a second, which a run without work need not spend.
        from portico.pipeline.documents.worker_jobs import ConvertInput, ConvertJob, ConvertOptions

        def make_payload(wanted: ItemInput) -> ConvertInput:
            row, as_page = bodies[wanted.subject], wanted.subject in pages
            return ConvertInput(BodyHash(wanted.subject), row.media_type, wanted.source, as_page)

        options = ConvertOptions(portal.store.blobs.location, limits)
        timeout_s = 2 * limits.timeout_s + ocr_s + GRACE_S
        return Job(ConvertJob, options, item_timeout_s=timeout_s), make_payload

    stage = ItemStage(
        name=StageName.CONVERT,
        # These options change the contents of a document; the other limits only whether there is one.
        maker=f"{VERSION} max_pages={limits.max_pages} ocr={limits.ocr}",
        inputs=inputs,
        prepare=prepare,
        leaves_records=True,
        slow_because="scans are read by OCR, some seconds a page" if limits.ocr == "auto" else "",
    )
    report = run_item_stage(stage, portal.store, run)
    return replace(report, note=describe_weakness()) if report.worked else report


def _find_page_documents(portal: Portal, bodies: Mapping[str, BodyRow]) -> dict[str, BodyRow]:
    """The web pages to convert: those of the wanted kinds, and those in folders of the builder."""
    if not portal.domain.page_kinds:
        return {}
    put = {body: row for body, row in bodies.items() if row.media_type.startswith(HTML)}
    return put | {row.body: row for row in portal.store.documents.pages.sought()}


def read_limits(portal: Portal) -> ConvertLimits:
    """The limits for converting one file of this portal."""
    wanted = portal.settings.convert
    return ConvertLimits(
        timeout_s=wanted.timeout_s,
        max_memory_mb=wanted.max_memory_mb,
        max_bytes=wanted.max_bytes,
        max_pages=wanted.max_pages,
        # While a file is decompressed, its reader holds it twice.
        max_expanded_bytes=min(DEFAULT_LIMITS.max_expanded_bytes, (wanted.max_memory_mb << 20) // 2),
        ocr="auto" if wanted.ocr == "auto" else "never",
    )
