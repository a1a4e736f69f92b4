"""Named arrays and a line of text as bytes, and back: no code is ever read from a file."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from portico.errors import ConfigError

_HEADER = "header"


def pack(header: str, arrays: Mapping[str, Any]) -> bytes:
    """Arrays in single precision: what a trained model says does not hang on the eighth digit."""
    content = {name: array.astype(np.float32) for name, array in arrays.items()}
    stream = io.BytesIO()
    np.savez_compressed(
        stream, allow_pickle=False, **{_HEADER: np.frombuffer(header.encode(), dtype=np.uint8)}, **content
    )
    return stream.getvalue()


def unpack(content: bytes) -> tuple[str, dict[str, Any]]:
    """What `pack` packed; ConfigError where it is damaged."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as packed:
            arrays = {name: packed[name] for name in packed.files}
        header = arrays.pop(_HEADER).tobytes().decode()
    except (OSError, EOFError, KeyError, ValueError, zlib.error, zipfile.BadZipFile) as fault:
        raise ConfigError(f"a trained model is damaged: {fault}") from fault
    return header, {name: array.astype(np.float64) for name, array in arrays.items()}
