"""Findings and reports for policies to decide on."""

from __future__ import annotations

from hypothesis import strategies as st

from guardrail import Action, ErrorType, Finding, Report, Span, Verdict

V, E, A = Verdict, ErrorType, Action


def finding(verdict, error=None, *, ident="s1", conflict=False, score=0.5):
    return Finding(
        id=ident,
        text="x",
        span=Span(0, 1),
        claim="x",
        verdict=verdict,
        score=score,
        error_type=error,
        conflict=conflict,
    )


def report(*findings, verdict=Verdict.UNVERIFIED, reason=""):
    return Report(verdict=verdict, score=0.5, answer="x", passages=(), findings=findings, reason=reason)


bands = st.dictionaries(st.floats(0, 1), st.sampled_from(Action), max_size=3)
found = st.builds(
    finding,
    st.sampled_from([V.SUPPORTED, V.CONTRADICTED, V.UNSUPPORTED, V.UNVERIFIED]),
    st.sampled_from([None, *ErrorType]),
    conflict=st.booleans(),
    score=st.floats(0, 1),
)
