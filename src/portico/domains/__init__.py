"""What is a portal about? Declarations and pure functions, one folder per domain."""
