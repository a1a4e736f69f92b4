"""3. What does this document say about itself? A document in, records with fields out."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

VERSION = "26"
"""Changes when the same document and models would give other records."""


class _CallablePackage(ModuleType):
    """`portico.extract("paper.pdf")` is what people type who only want the extractor, and this package has
    that name already. The function is found by name: stages know nothing of what is built upon them."""

    def __call__(self, *files: Any, **options: Any) -> Any:
        return import_module("portico.python_api.reading").extract(*files, **options)


sys.modules[__name__].__class__ = _CallablePackage
