"""One document at a time: converting, reading fields, drawing first pages."""
