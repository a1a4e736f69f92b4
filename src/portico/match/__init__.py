"""5. Are these two the same paper? Records in, entities and citations out."""

VERSION = "7"
"""Raised with every change that may give another result for the same records."""

GATHERING_VERSION = "1"
"""Raised with every change that may give other entities for the same records of declared kinds."""

AUTHORS_VERSION = "1"
"""Raised with every change that may give other people for the same papers."""
