"""Portico builds a search portal for a field of research by machine learning.

The rooms, in the order a document walks through them:

    1. crawl     links in, pages out
    2. convert   a page's bytes in, a document with layout out
    3. extract   a document in, records with fields out
    4. classify  documents in, their places in the topic tree out
    5. match     records in, entities and citations out
    6. index     entities in, a searchable index out
    7. serve     the portal: reads store and index, writes nothing

From Python: `portico.open`, `portico.extract` and `portico.parse_reference` (docs/python.md).

`types` holds the values that travel between them, `pipeline` knows their order, `store` keeps
what they made. ARCHITECTURE.md is the map.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

__all__ = ["__version__", "extract", "open", "parse_reference"]

_LIBRARY = {
    "open": ("portico.python_api.portals", "OpenedPortal"),
    "extract": ("portico.python_api.reading", "extract"),
    "parse_reference": ("portico.python_api.reading", "parse_reference"),
}


def __getattr__(name: str) -> Any:
    """What `import portico` offers is loaded when it is used: commands start in a tenth of that time."""
    if name not in _LIBRARY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LIBRARY[name]
    return getattr(import_module(module), attribute)
