"""Portico builds a domain's search portal by machine learning.

The rooms, in the order a document walks through them:

    1. crawl     links in, pages out
    2. convert   a page's bytes in, a document with layout out
    3. extract   a document in, records with fields out
    4. classify  documents in, their places in the topic tree out
    5. match     records in, entities and citations out
    6. index     entities in, a searchable index out
    7. serve     the portal: reads store and index, writes nothing

`types` holds the values that travel between them, `pipeline` knows their order, `store` keeps
what they made. ARCHITECTURE.md is the map.
"""

__version__ = "0.1.0"
