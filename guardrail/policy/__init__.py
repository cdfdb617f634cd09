"""What to do with what was found: policies, their files, and what speaks for a threshold."""

from guardrail.policy.keys import LOGIC
from guardrail.policy.policy import Policy
from guardrail.policy.watch import PolicyWatch

__all__ = ["LOGIC", "Policy", "PolicyWatch"]
