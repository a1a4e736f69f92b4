"""What was obtained and made of it: pages, bodies, results of stages, failures."""
