"""4. What is it about? Records in, places in the topic tree out."""
