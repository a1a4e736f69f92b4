"""Topics of a portal: the tree, its model, assignments, suggestions."""
