"""The papers' own models, reimplemented for comparison. No default uses them."""
