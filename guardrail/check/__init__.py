"""One answer, from text to report: a file or folder per arrow of the data flow (docs/concepts.md)."""
