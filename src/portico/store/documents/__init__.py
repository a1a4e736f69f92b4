"""What was fetched and made of it: pages, bodies, results of stages, failures."""
