"""Before stage 5, if [enrich] is set: adds to documents what external catalogs know about them."""

from portico.pipeline.documents.catalog_answers import STAGE
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.runners import BuildRun
from portico.types.stages import StageName


def run_enrich(portal: Portal, run: BuildRun) -> StageReport:
    """Send all queries not sent so far; drop answers of catalogs no longer named in [enrich]."""
    results, named = portal.store.documents.results, portal.settings.enrich.sources
    documents = results.digests(StageName.EXTRACT)
    known = results.keys(STAGE)
    gone = [
        subject
        for subject in known
        if (parts := subject.partition(":"))[0] not in documents or parts[2] not in named
    ]
    if gone:
        results.drop(STAGE, gone)
    if not named or not documents:
        return StageReport(STAGE, n_dropped=len(gone))
    # Imported here: what compares records takes half a second to load.
    from portico.pipeline.enrichment.questions import ask_catalogs

    started = run.clock()
    with run.progress.stage(STAGE, None) as meter:
        counts = ask_catalogs(portal, run, meter)
    return StageReport(
        STAGE,
        n_done=counts.n_done,
        n_failed=counts.n_failed,
        n_fresh=len(known) - len(gone),
        n_dropped=len(gone),
        seconds=run.clock() - started,
        note="; ".join(counts.notes),
    )
