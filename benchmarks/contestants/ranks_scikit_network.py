"""Hubs, authorities and PageRank by scikit-network; run by ../matching.py.

Reads edges (pairs of int32) from standard input. Writes the three lists of scores as JSON, and seconds
to standard error.
"""

import json
import sys
import time

import numpy as np
from scipy import sparse
from sknetwork.ranking import HITS, PageRank


def main() -> None:
    n_nodes = int(sys.argv[1])
    ends = np.frombuffer(sys.stdin.buffer.read(), dtype=np.int32).reshape(-1, 2)
    links = sparse.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n_nodes, n_nodes))
    started = time.process_time()
    hits = HITS().fit(links)
    halfway = time.process_time()
    # Of its solvers the one that sends readers of papers without references anywhere, as we do.
    visits = PageRank(damping_factor=0.85, solver="RH", n_iter=200, tol=1e-12).fit_predict(links)
    sys.stderr.write(
        f"scikit-network: {halfway - started:.3f} s hubs and authorities,"
        f" {time.process_time() - halfway:.3f} s PageRank\n"
    )
    hubs, authorities = np.abs(hits.scores_row_), np.abs(hits.scores_col_)
    shares = [hubs / hubs.sum(), authorities / authorities.sum(), visits / visits.sum()]
    json.dump([share.tolist() for share in shares], sys.stdout)


if __name__ == "__main__":
    main()
