"""Papers and hand-outs as PDF and PostScript files: words in, bytes out."""
