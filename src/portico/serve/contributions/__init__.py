"""What people send: corrections, submissions, the builder's password, and what may be written for them."""
