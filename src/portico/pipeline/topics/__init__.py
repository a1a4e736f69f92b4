"""What documents are about: the tree, its model, places in it, what could grow there."""
