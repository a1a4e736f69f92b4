"""3. What does this document say about itself? A document in, records with fields out."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

VERSION = "28"
"""Raised when the same document and models would result in other records."""


class _CallablePackage(ModuleType):
    """Makes the package callable, so that `portico.extract("paper.pdf")` works although the name belongs
    to this package. The function is imported by name at call time, because a stage must not depend on the
    layers above it.
    """

    def __call__(self, *files: Any, **options: Any) -> Any:
        return import_module("portico.python_api.reading").extract(*files, **options)


sys.modules[__name__].__class__ = _CallablePackage
