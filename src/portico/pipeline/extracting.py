"""Stage 3: documents to records with fields."""

from collections.abc import Iterator

from portico.engine.work import Job
from portico.extract import VERSION
from portico.pipeline.declaring import reading_digest
from portico.pipeline.mapping import Input, MapStage, run_map
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run

ITEM_TIMEOUT_S = 120.0  # a long thesis takes a few seconds


def extract_stage(portal: Portal, run: Run) -> StageReport:
    """Extracts from every converted document; a new model or a new conversion makes it due again."""
    store = portal.store
    reading = reading_digest(portal.domain, portal.places)
    sources: dict[str, str] = {row.body: row.source for row in store.pages.bodies()}

    def inputs() -> Iterator[Input]:
        catalogued = store.pages.catalogued()
        for subject, digest in store.results.digests("convert").items():
            if subject not in catalogued:
                yield Input(subject, digest, sources.get(subject, subject))

    def payload(wanted: Input) -> bytes:
        document = store.results.get("convert", wanted.subject)
        assert document is not None, "digests() names only finished documents"
        return document

    def job() -> Job:
        from portico.pipeline.work import Extracting, ExtractOptions

        options = ExtractOptions(portal.settings.portal.domain, portal.places.folder)
        return Job(Extracting, options, item_timeout_s=ITEM_TIMEOUT_S)

    stage = MapStage(
        name="extract",
        maker=f"{VERSION} {reading}",
        job=job,
        inputs=inputs,
        payload=payload,
        elsewhere=store.pages.catalogued,
    )
    return run_map(stage, store, run)
