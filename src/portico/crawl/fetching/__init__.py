"""How is a host asked? Connections, HTTP/1.1, bodies and what they are compressed with."""
