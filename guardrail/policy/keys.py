"""What a policy names: keys of actions, presets."""

from __future__ import annotations

from typing import Literal

from guardrail.types import Action, ErrorType, Verdict

CONFLICT = "conflict"
LOGIC = "logic"
KEYS = (*(v.value for v in Verdict), *(e.value for e in ErrorType), LOGIC, CONFLICT)
"""What an action can be given for: a verdict, an error type, any logic error, passages that disagree."""

PRESETS = ("monitor", "annotate", "repair", "strict")
"""Names that ``Policy.load`` takes for presets, whatever lies in the folder."""

NEW_ANSWER = (Action.REWRITE, Action.REGENERATE)
"""Actions that ask for a new answer."""

ActionLike = Action | Literal["allow", "flag", "annotate", "redact", "rewrite", "regenerate", "block"]
"""An action, or its name."""
