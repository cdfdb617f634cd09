"""Reading text: words, sentences, languages, markup, facts. No domain and no I/O; everything may use it."""
