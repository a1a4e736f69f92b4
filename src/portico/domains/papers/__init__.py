"""Research papers: fields, features, normalizers, topic tree."""

from pathlib import Path

from portico.domains.papers.author_names import (
    has_shape_of_names,
    is_name_alone,
    is_one_author,
    read_author_line,
    read_names,
    read_names_first,
)
from portico.domains.papers.fields import (
    announces_author,
    continues_title,
    names_others,
    read_abstract,
    read_affiliation,
    read_cited_title,
    read_cited_year,
    read_emails,
    read_journal,
    read_keywords,
    read_pages,
    read_publisher,
    read_title,
    read_venue,
    read_whole,
    read_year,
    stands_beside_title,
)
from portico.domains.papers.observations import HEADER_OBSERVATIONS, REFERENCE_OBSERVATIONS, load_word_classes
from portico.domains.papers.publication import COVER_WORDS, read_notice
from portico.domains.papers.values import IDENTIFIER_READERS, read_date, read_journal_name, read_venue_name
from portico.types.domain import ANY, CollectionName, Domain, FieldRule, Headings, Kind, ShippedTree

_HERE = Path(__file__).parent

HEADER = Kind(
    name="header",
    labels=(
        "title", "author", "affiliation", "address", "note", "email", "date", "abstract", "intro",
        "keyword", "web", "degree", "pubnum", "phone", "page",
    ),
    rules=(
        FieldRule("title", "title", read_title, prominent=True, not_where=stands_beside_title),
        FieldRule(
            "author", "author", read_author_line, by_line=True, same=is_one_author, not_where=names_others,
            alone=is_name_alone, announced=announces_author, shaped=has_shape_of_names,
        ),
        FieldRule("affiliation", "author", read_names_first, by_line=True, same=is_one_author),
        FieldRule("affiliation", "affiliation", read_affiliation),
        FieldRule("address", "address", read_whole),
        FieldRule("email", "email", read_emails),
        FieldRule("abstract", "abstract", read_abstract, once=True, prose=True),
        FieldRule("keyword", "keyword", read_keywords),
        FieldRule("date", "date", read_whole),
        FieldRule("date", "year", read_year),
        FieldRule("date", "published", read_date, once=True),
        FieldRule("pubnum", "pubnum", read_whole),
        FieldRule("note", "note", read_whole),
    ),
    observations=HEADER_OBSERVATIONS,
    model="headers.zip",
    other="note",
)  # fmt: skip

REFERENCE = Kind(
    name="reference",
    labels=(
        "author", "title", "booktitle", "journal", "date", "pages", "volume", "editor", "institution",
        "location", "publisher", "tech", "note",
    ),
    rules=(
        FieldRule("author", "author", read_names),
        FieldRule("title", "title", read_cited_title, once=True, continued=("booktitle", continues_title)),
        FieldRule("date", "year", read_cited_year, once=True, first=True),
        FieldRule("date", "published", read_date, once=True, first=True),
        FieldRule("booktitle", "booktitle", read_venue, once=True),
        FieldRule("booktitle", "venue", read_venue, once=True),
        FieldRule("booktitle", "venue_name", read_venue_name, once=True),
        FieldRule("journal", "journal", read_journal, once=True),
        FieldRule("journal", "venue", read_journal, once=True),
        FieldRule("journal", "venue_name", read_journal_name, once=True),
        FieldRule("institution", "institution", read_whole, once=True),
        FieldRule("tech", "tech", read_whole, once=True),
        FieldRule("editor", "editor", read_names),
        FieldRule("volume", "volume", read_whole, once=True),
        FieldRule("pages", "pages", read_pages, once=True),
        FieldRule("publisher", "publisher", read_publisher, once=True),
        FieldRule("location", "location", read_whole, once=True),
        FieldRule("note", "note", read_whole),
        *(FieldRule(ANY, name, read) for name, read in IDENTIFIER_READERS),
    ),
    observations=REFERENCE_OBSERVATIONS,
    model="references.zip",
    other="note",
    identity=("title",),
    lends=(
        ("year", "published"), ("booktitle", "journal", "venue", "venue_name"), ("volume",), ("pages",),
        ("publisher",), ("doi",),
    ),
)  # fmt: skip

PAPERS = Domain(
    name="papers",
    kinds=(HEADER, REFERENCE),
    headings=Headings(
        abstract=r"(?:extended|an|executive|thesis)?(?:abstract|summary|synopsis)\w{0,3}"
        r"|(?:zusammenfassung|kurzfassung|kurzzusammenfassung|résumé|resumé|resumen|resumo|riassunto|sommario"
        r"|samenvatting|sammanfattning|sammendrag|streszczenie|abstrakt|аннотация|tiivistelmä|özet|摘要|要旨|要約)\w{0,3}",
        introduction=r"(?:introduction|einleitung|einführung|introducción|introdução|introduzione|inleiding|inledning"
        r"|wstęp|введение|overview|background|motivation|introductionand\w+|generalintroduction"
        r"|introductoryremarks)",
        references=r"(?:thelistof|listof|selected|key|cited|notesand)?(?:references?|bibliograph(?:y|ie)|literature"
        r"|literatur(?:verzeichnis|angaben|liste)?|literaturecited|workscited|citedliterature|literatuur(?:lijst)?"
        r"|(?:lista?(?:de)?)?(?:referencias|referências|bibliografía|bibliografia)(?:bibliográficas|citadas)?"
        r"|(?:literatura|obras|trabajos|fuentes)(?:citadas?|consultadas?)|riferimenti(?:bibliografici)?"
        r"|références(?:bibliographiques|citées)?|ouvragescités|quellen\w*|referenser|litteratur|literatura"
        r"|списоклитературы|литература|参考文献)(?:cited|andnotes|andfurtherreading|list)?",
        after_references=r"(?:appendi(?:x|ces).{0,50}|anhang\w*|annex\w*|acknowledge?ments?|"
        r"supplementary\w*|biograph\w*|aboutthe?authors?|authors?biograph\w*|authorinformation)",
        banners=r"(?:(?:accepted|authors?|submitted)manuscript|(?:discussion|working|conference|invited|regular|short)"
        r"papers?|research(?:article|papers?|note)?|(?:original|review)?articles?|(?:original|empirical)research"
        r"|(?:book)?reviews?|studies|openaccess|(?:pre|post)print"
        r"|(?:draft|preprint)version\w{0,20}|typesetusing\w{0,40}|preprinttypesetusing\w{0,40}|www\w{4,30}(?:info|org|com|net|edu))",
        cover=r"(?:wwwssoarinfo|nutzungsbedingungen|stableurlhttp\w*|halid\w{4,30})",
        cover_words=COVER_WORDS,
    ),
    lexicon=load_word_classes,
    models=_HERE / "models",
    splitting="splitting.crfsuite",
    zones="zones.crfsuite",
    calibration="calibration.json",
    topics=_HERE / "topics.toml",
    topic_words=_HERE / "models" / "topics.words.gz",
    # Whether a document is a paper is only known after reading it; to the spider, any may be one.
    target_types=frozenset({"application/pdf", "application/postscript"}),
    spider="spider.npz",
    collection=CollectionName.PAPERS,
    trees=(
        ShippedTree(
            "computer-science",
            _HERE / "topics.toml",
            _HERE / "models" / "topics.words.gz",
            "the tree of computer science",
        ),
        ShippedTree(
            "all-sciences",
            _HERE / "all-sciences.toml",
            _HERE / "models" / "all-sciences.words.gz",
            "the tree of all sciences",
        ),
    ),
    word_vectors="word-vectors.npz",
    research_fields="fields.npz",
    read_notice=read_notice,
)
