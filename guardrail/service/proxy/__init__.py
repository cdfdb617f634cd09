"""The OpenAI-compatible proxy: chat completions and responses are checked on their way, all else passes."""
