"""A paper in the words of schema.org, for search engines and reference managers."""

from typing import Any

from portico.serve.escaping import visible
from portico.serve.paper import PaperPage


def schema_org(page: PaperPage, host: str) -> dict[str, Any]:
    """The paper as a ScholarlyArticle; what is not known is left out."""
    known = {
        "abstract": page.abstract,
        "datePublished": page.date,
        "isPartOf": {"@type": "PublicationIssue", "name": visible(page.venue)} if page.venue else "",
        "author": [
            {"@type": "Person", "name": visible(author.text), "url": host + author.url}
            for author in page.authors
        ],
        "about": [topic.trail[-1].text for topic in page.topics],
    }
    return {
        "@context": "https://schema.org",
        "@type": "ScholarlyArticle",
        "@id": f"{host}/paper/{page.id}",
        "url": f"{host}/paper/{page.id}",
        "headline": visible(page.title),
        **{name: visible(value) for name, value in known.items() if value},
    }
