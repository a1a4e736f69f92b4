"""The names of the stages, in the order in which a new portal runs them."""

from enum import StrEnum


class StageName(StrEnum):
    """Every portal stores these names, so a name must never change."""

    CRAWL = "crawl"  # links to pages
    REFRESH = "refresh"  # pages fetched before that may have changed
    READ = "read"  # files in folders to pages
    IMPORT = "import"  # records of other catalogs to documents and records; a command, not part of builds
    RECOGNIZE = "recognize"  # pages to kinds of pages
    CONVERT = "convert"  # pages to documents with layout
    LIST = "list"  # web pages to their descriptions of the documents they link to
    EXTRACT = "extract"  # documents to records with fields
    ENRICH = "enrich"  # documents to the answers of public catalogs about them
    CLASSIFY = "classify"  # all records to a model of the topics
    MATCH = "match"  # all records to entities and citations
    PLACE = "place"  # all documents to places in the topic tree
    RANKS = "ranks"  # all places and citations to ranks within topics
    AUTHORS = "authors"  # all names on papers to people
    INDEX = "index"  # entities to index entries
    PICTURE = "picture"  # files to pictures of their first pages
