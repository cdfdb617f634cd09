"""Vendors of language models, each imported only where it is asked for."""
