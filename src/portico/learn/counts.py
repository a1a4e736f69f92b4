"""Sparse count matrices (one row per document, one column per word), and their serialization."""

import io
import zipfile
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from portico.errors import ConfigError

_HEADER = "header"


def pack_arrays(header: str, arrays: Mapping[str, Any]) -> bytes:
    """Arrays in single precision: the eighth digit changes no decision of a model."""
    content = {name: array.astype(np.float32) for name, array in arrays.items()}
    stream = io.BytesIO()
    np.savez_compressed(
        stream, allow_pickle=False, **{_HEADER: np.frombuffer(header.encode(), dtype=np.uint8)}, **content
    )
    return stream.getvalue()


def unpack_arrays(content: bytes) -> tuple[str, dict[str, Any]]:
    """The inverse of `pack_arrays`; ConfigError if the data is damaged."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as packed:
            arrays = {name: packed[name] for name in packed.files}
        header = arrays.pop(_HEADER).tobytes().decode()
    except (OSError, EOFError, KeyError, ValueError, zlib.error, zipfile.BadZipFile) as fault:
        raise ConfigError(f"a trained model is damaged: {fault}") from fault
    return header, {name: array.astype(np.float64) for name, array in arrays.items()}


Counts: TypeAlias = "sparse.csr_array[np.float64, tuple[int, int]]"
Table: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.float64]]"
Vector: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"


def count_columns(rows: Iterable[Iterable[int]], n_columns: int) -> Counts:
    """How often each column is named in each row; negative numbers are ignored."""
    flat = array("i")  # a quarter of the memory of a list, and arrays take it over as it is
    ends = [0]
    for row in rows:
        flat.extend(row)
        ends.append(len(flat))
    columns = np.frombuffer(flat, dtype=np.intc) if flat else np.zeros(0, dtype=np.intc)
    return from_flat(columns, np.asarray(ends), n_columns)


def from_flat(columns: np.ndarray, ends: np.ndarray, n_columns: int) -> Counts:
    """The same from one array of columns; row r is between `ends[r]` and `ends[r + 1]`."""
    known = columns >= 0
    ends_known = np.concatenate(([0], np.cumsum(known)))[ends]
    table = sparse.csr_array(
        (np.ones(int(ends_known[-1])), columns[known], ends_known), shape=(len(ends) - 1, n_columns)
    )
    table.sum_duplicates()
    return table


def combine_tables(parts: Sequence[tuple[float, Counts]]) -> Counts:
    """The sum of the tables, each multiplied by its weight."""
    (weight, first), *others = parts
    total = first if weight == 1.0 else first * weight
    for weight, table in others:
        if table.nnz:
            total = total + table * weight
    return sparse.csr_array(total)


def from_cells(
    rows: Sequence[int], columns: Sequence[int], values: Sequence[float], shape: tuple[int, int]
) -> Counts:
    """The table with these values in these cells; ValueError if a cell is outside `shape`."""
    table = sparse.coo_array((np.asarray(values, dtype=np.float64), (list(rows), list(columns))), shape=shape)
    return sparse.csr_array(table)


def list_cells(counts: Counts) -> Iterator[tuple[int, int, float]]:
    """Row, column and value of every cell that is not zero, row by row."""
    table = counts.tocoo()
    yield from zip(table.row.tolist(), table.col.tolist(), table.data.tolist(), strict=True)


def move_cells(
    counts: Counts, *, rows: Sequence[int], columns: Sequence[int], shape: tuple[int, int]
) -> Counts:
    """The same values with row r at `rows[r]` and column c at `columns[c]`; negative places are dropped."""
    to_rows = count_columns([[place] for place in rows], shape[0])
    to_columns = count_columns([[place] for place in columns], shape[1])
    return sparse.csr_array(to_rows.T @ counts @ to_columns)


def scale_rows(counts: Counts, factors: Sequence[float]) -> Counts:
    """Every row multiplied by its factor."""
    return sparse.csr_array(sparse.diags_array(np.asarray(factors, dtype=np.float64)) @ counts)


def make_zeros(n_rows: int, n_columns: int) -> Table:
    return np.zeros((n_rows, n_columns))


def to_dense(counts: Counts) -> Table:
    return np.asarray(counts.toarray())


def prune_table(table: Table, *, least_column: float, least_cell: float) -> tuple[list[int], Counts]:
    """The table without small columns and cells, in whole numbers, and the numbers of the columns kept."""
    kept = np.flatnonzero(table.sum(axis=0) >= least_column)
    rounded = np.round(table[:, kept])
    return kept.tolist(), sparse.csr_array(np.where(rounded >= least_cell, rounded, 0.0))


def sum_rows(counts: Counts) -> list[float]:
    return [float(total) for total in measure_lengths(counts)]


def measure_lengths(counts: Counts) -> Vector:
    """The sum of every row."""
    return np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()


def count_row_columns(counts: Counts) -> Vector:
    """How many different columns occur in each row."""
    return np.diff(counts.indptr).astype(np.float64)


def count_rows_with(counts: Counts) -> Vector:
    """In how many rows each column occurs."""
    return np.bincount(counts.indices, minlength=counts.shape[1]).astype(np.float64)


def move_columns(table: Table, columns: Sequence[int]) -> Table:
    """A table with these columns of the other, in this order; zeros for a column of -1."""
    moved = np.zeros((len(table), len(columns)))
    kept = [place for place, column in enumerate(columns) if column >= 0]
    moved[:, kept] = table[:, [columns[place] for place in kept]]
    return moved


def to_presence(counts: Counts) -> Counts:
    """One where there is a count, whatever its size."""
    return sparse.csr_array((np.ones_like(counts.data), counts.indices, counts.indptr), shape=counts.shape)


def normalize_rows(table: Table) -> Table:
    """Every row divided by its sum; a row of zeros stays zero."""
    sums = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, sums, out=np.zeros_like(table), where=sums > 0))
