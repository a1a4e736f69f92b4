"""A portal as plain files, for any web host."""
