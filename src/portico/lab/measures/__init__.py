"""What `portico lab` measures, one module a command, and the tables and plots of it."""
