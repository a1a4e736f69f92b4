"""Calibration curves for the probabilities of fields, read from the file shipped with the models."""

import json
from collections.abc import Mapping
from pathlib import Path

from portico.errors import SetupError
from portico.learn.calibration import Calibration

Calibrations = Mapping[str, Mapping[str, Calibration]]
"""Kind of record → field → curve."""


def read_calibrations(path: Path) -> Calibrations:
    """Read the curves from a file that `write_calibrations` wrote."""
    try:
        kinds = json.loads(path.read_text(encoding="utf-8"))
        return {
            kind: {
                name: Calibration(tuple((float(said), float(right)) for said, right in points))
                for name, points in curves.items()
            }
            for kind, curves in kinds.items()
        }
    except OSError as error:
        raise SetupError(f"{path}: cannot be read ({error.strerror}); reinstall Portico") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise SetupError(f"{path}: not what `portico train calibration` writes: {error}") from error


def write_calibrations(calibrations: Calibrations, path: Path) -> None:
    """Write the curves as JSON, grouped by kind of record."""
    kinds = {
        kind: {
            name: [[round(said, 4), round(right, 4)] for said, right in curve.points]
            for name, curve in sorted(curves.items())
        }
        for kind, curves in calibrations.items()
    }
    path.write_text(json.dumps(kinds, indent=1) + "\n", encoding="utf-8")
