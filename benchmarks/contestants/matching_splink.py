"""The references of a folder matched by splink on DuckDB with one thread; run by ../matching.py."""

import gzip
import json
import logging
import lzma
import re
import sys
import time
from pathlib import Path

import duckdb
import pandas as pd
import splink.comparison_library as cl
from splink import DuckDBAPI, Linker, SettingsCreator, block_on


def fold(text: str | None) -> str | None:
    return " ".join(re.findall(r"\w+", (text or "").lower())) or None


def surname(authors: list[str]) -> str | None:
    return fold(authors[0].split()[-1]) if authors and authors[0].split() else None


def read_columns(folder: Path) -> pd.DataFrame:
    rows = []
    with gzip.open(folder / "papers.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            rows.append((row["id"], fold(row["title"]), surname(row["authors"]), None, int(row["date"][-4:])))
    with lzma.open(folder / "references.jsonl.xz", "rt", encoding="utf-8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            rows.append(
                (f"ref-{number}", fold(row.get("t")), surname(row["a"]), fold(row.get("v")), row.get("y"))
            )
    table = pd.DataFrame(rows, columns=["unique_id", "title", "author", "venue", "year"])
    table["prefix"] = table.title.str.replace(" ", "").str[:12]
    return table


def main() -> None:
    logging.disable(logging.WARNING)
    table = read_columns(Path(sys.argv[1]))
    connection = duckdb.connect()
    connection.execute("SET threads=1")
    started = time.process_time()
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("title", [0.97, 0.92]),
            cl.ExactMatch("author"),
            cl.ExactMatch("year"),
        ],
        blocking_rules_to_generate_predictions=[block_on("prefix"), block_on("author", "year")],
    )
    database = DuckDBAPI(connection=connection)
    linker = Linker(database.register(table), settings)
    training = linker.training
    training.estimate_probability_two_random_records_match([block_on("title")], recall=0.8)
    training.estimate_u_using_random_sampling(1e6)
    training.estimate_parameters_using_expectation_maximisation(block_on("author", "year"))
    predictions = linker.inference.predict(threshold_match_probability=0.5)
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(predictions, 0.5)
    n_clusters = clusters.as_pandas_dataframe().cluster_id.nunique()
    sys.stdout.write(
        f"splink: {len(table)} records, {n_clusters} clusters, {time.process_time() - started:.1f} s\n"
    )


if __name__ == "__main__":
    main()
