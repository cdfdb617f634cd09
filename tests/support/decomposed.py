"""What ``decompose`` makes of an answer, in short."""

from guardrail.check.decompose import decompose


def texts(answer, **given):
    """The texts of the checked segments."""
    return [segment.text for segment in decompose(answer, **given).checked]


def skipped(answer, **given):
    """Why each segment is skipped; None where it is checked."""
    return {segment.text: segment.skipped for segment in decompose(answer, **given).segments}
