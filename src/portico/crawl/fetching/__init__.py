"""How is a host queried? Connections, HTTP/1.1, bodies and content encodings."""
