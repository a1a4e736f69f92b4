"""After indexing: draws a small picture of the first page of every paper."""

from collections.abc import Iterator

from portico.engine.work import Job
from portico.pipeline.documents.converting import read_limits
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun, ItemInput, ItemStage, MakePayload, run_item_stage
from portico.types.document import DocumentId
from portico.types.page import BodyHash
from portico.types.stages import StageName

VERSION = 1

DOTS_PER_INCH = 36.0
"""At this resolution, letter paper is 306 pixels wide: columns and headings are recognizable, words are
not."""

_WITHOUT_PAGES = "text/"  # such files have no fixed pages
_ITEM_TIMEOUT_S = 120.0  # PostScript is converted once more for it, in the sandbox, in about a second


def run_picture(portal: Portal, run: BuildRun) -> StageReport:
    """Draw missing pictures; a page that cannot be drawn does not count as a failure."""
    store = portal.store
    rows = {
        row.body: row
        for row in store.documents.pages.bodies(records=False)
        if not row.media_type.startswith(_WITHOUT_PAGES)
    }

    def inputs() -> Iterator[ItemInput]:
        held = store.catalog.entities.list_documents() if rows else frozenset()
        for body, row in rows.items():
            if DocumentId(body) in held:
                yield ItemInput(body, body, row.source)

    def prepare() -> tuple[Job, MakePayload]:
        # Imported here: what workers load takes a third of a second, which a run without work need not spend.
        from portico.pipeline.documents.worker_jobs import ConvertOptions, PictureInput, PictureJob

        def make_payload(wanted: ItemInput) -> PictureInput:
            return PictureInput(BodyHash(wanted.subject), DOTS_PER_INCH, wanted.source)

        options = ConvertOptions(store.blobs.location, read_limits(portal))
        return Job(PictureJob, options, item_timeout_s=_ITEM_TIMEOUT_S), make_payload

    stage = ItemStage(
        name=StageName.PICTURE,
        maker=f"{VERSION} {DOTS_PER_INCH}",
        inputs=inputs,
        prepare=prepare,
    )
    return run_item_stage(stage, store, run)
