"""What `portico lab` measures, one module per command, with tables and plots."""
