"""How files of corpora are read: lines of JSON, tables, XML from strangers, annotated words; every mistake with file, place and remedy."""
