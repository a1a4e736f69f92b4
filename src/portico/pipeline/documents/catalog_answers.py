"""Answers from external catalogs about documents, stored separately from what was extracted."""

from collections.abc import Iterable, Iterator

from portico.store.codec import decode
from portico.store.database import chunks
from portico.store.opening import Store
from portico.types.enrichment import CATALOGS, CatalogAnswer
from portico.types.stages import StageName

STAGE = StageName.ENRICH

_DOCUMENTS_AT_ONCE = 64


def make_subject(document: str, catalog: str) -> str:
    """The key under which a catalog's answer about a document is stored."""
    return f"{document}:{catalog}"


def join_answers(
    store: Store, rows: Iterable[tuple[str, str, bytes]]
) -> Iterator[tuple[str, bytes, list[CatalogAnswer]]]:
    """Yield documents and their payloads, each with the answers of catalogs about it."""
    if not store.documents.results.n_done(STAGE):
        yield from ((subject, payload, []) for subject, _digest, payload in rows)
        return
    for some in chunks(rows, _DOCUMENTS_AT_ONCE):
        answers: dict[str, list[CatalogAnswer]] = {subject: [] for subject, _, _ in some}
        subjects = [make_subject(document, catalog) for document in answers for catalog in CATALOGS]
        for subject, _digest, payload in store.documents.results.payloads(STAGE, subjects):
            answers[subject.partition(":")[0]].append(decode(CatalogAnswer, payload))
        yield from ((subject, payload, answers[subject]) for subject, _, payload in some)


def digest_enriched(store: Store) -> dict[str, str]:
    """A digest of each extracted document, which changes with its records and with catalog answers."""
    digests = store.documents.results.digests(StageName.EXTRACT)
    for subject, digest in sorted(store.documents.results.digests(STAGE).items()):
        document = subject.partition(":")[0]
        if document in digests:
            digests[document] += f" {digest}"
    return digests
