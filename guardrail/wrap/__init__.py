"""A guard around what is there already: functions and OpenAI clients."""
