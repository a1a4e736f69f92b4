"""2. What does this file say? Bytes in, a document with layout out."""
