"""How do machines learn? Models of sequences and arrays; nothing here is specific to papers."""

import os

# Arrays here are sparse or small. The threads that NumPy's algebra starts by itself wait for each other
# more than they compute: with them a spider is trained in 7.9 s of two processors, without in 0.6 s of one.
# To count, this must be said before NumPy is imported; who has set it keeps their figure.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
