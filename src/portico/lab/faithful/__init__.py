"""The papers' own models, run again to compare ours with: nothing that ships uses them."""
