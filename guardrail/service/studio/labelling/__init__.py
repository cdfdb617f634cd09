"""Labels of people: what to label next, what was said, and where it is kept."""
