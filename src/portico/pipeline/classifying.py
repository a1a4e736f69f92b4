"""Stage 4: all documents to their places in the topic tree."""

from hashlib import sha256

from portico.classify import VERSION
from portico.config.topics import read_topics
from portico.domains.registry import domain_named
from portico.pipeline.keys import fingerprint
from portico.pipeline.portal import Portal
from portico.pipeline.progress import StageReport
from portico.pipeline.run import Run
from portico.store.codec import decode
from portico.types.document import DocumentId
from portico.types.domain import Domain
from portico.types.record import Record
from portico.types.topic import Topic, TopicText

STAGE = "classify"


def classify_stage(portal: Portal, run: Run) -> StageReport:
    """Learns the tree from its keywords and the portal's own documents, then places every document."""
    store = portal.store
    domain = domain_named(portal.settings.portal.domain)
    topics = _topics(portal, domain)
    words = domain.topic_words.read_bytes()
    key = fingerprint(
        STAGE, VERSION, sha256(words).hexdigest(), repr(topics), store.results.digest_of("extract")
    )
    if store.meta.get(STAGE) == key:
        return StageReport(STAGE, n_fresh=store.catalog.counts().n_assigned)
    # Imported here: arrays take half a second to load, which a run without work need not spend.
    from portico.classify.background import read
    from portico.classify.classifier import train

    started = run.clock()
    texts = [topic_text(subject, payload) for subject, _digest, payload in store.results.payloads("extract")]
    with run.watcher.stage(STAGE, len(texts)) as meter:
        meter.remark("learning the topics")
        model = train(texts, topics, background=read(words))
        meter.remark("placing documents")
        assignments = [assignment for places in model.assign_all(texts) for assignment in places]
        store.catalog.replace_topics(topics)
        store.catalog.replace_assignments(assignments)
        store.meta.set(STAGE, key)
        meter.advance(len(texts))
    # The tree that ships has more keywords than any one portal needs: their absence is no news.
    note = "; ".join(model.notices) if portal.settings.topics.file else ""
    return StageReport(STAGE, n_done=len(texts), seconds=run.clock() - started, note=note)


def _topics(portal: Portal, domain: Domain) -> tuple[Topic, ...]:
    """The builder's tree, or the domain's."""
    named = portal.settings.topics.file
    return read_topics(portal.places.folder / named if named else domain.topics)


def topic_text(document: str, payload: bytes) -> TopicText:
    """What classification reads of a document: its header, and the titles it cites."""
    records = decode(tuple[Record, ...], payload)
    header = next((record for record in records if record.kind == "header"), None)
    cited = (record.value("title") for record in records if record.kind == "reference")
    return TopicText(
        document=DocumentId(document),
        title=(header and header.value("title")) or "",
        abstract=(header and header.value("abstract")) or "",
        authors=tuple(field.value for field in header.all("author")) if header else (),
        cited_titles=tuple(title for title in cited if title),
    )
