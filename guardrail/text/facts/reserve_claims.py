"""Words with which a claim keeps a reserve of its own, insists, or speaks of today; and those that settle a matter."""

from __future__ import annotations

import re

from guardrail.text.facts.verb_forms import base

OWN_RESERVE = re.compile(
    r"""\b(?:sa(?:y|ys|id)|according|report(?:s|ed|edly)?|rumou?r\w*|alleg\w*|claim\w*|accus\w*|suspect\w*|suspicion
    |suppos\w*|believ\w*|thought|think\w*|assum\w*|presum\w*|opinion|view\w*|argu\w*|suggest\w*|insist\w*|maintain\w*
    |contend\w*
    |(?<!\d[ ])(?<!in[ ])(?<!of[ ])may(?![ ]\d|[,.])|might|could|can|would|should|will|shall|must|if|unless
    |provided|whether|perhaps|possib\w+|probabl\w+|maybe|likely|unlikely|apparent\w*|seem\w*|appear\w*|potential\w*|unclear|unknown|unproven|uncertain|unconfirmed
    |open|plan(?:s|ned|ning)?|intend\w*|intention\w*|hop(?:e|es|ed|ing)|aim\w*|want\w*|wish\w*|expect\w*|promis\w*|threat\w*
    |pledg\w*|vow\w*|propos\w*|motion|draft\w*|offer\w*|due|set[ ]to|projected|predict\w*|forecast\w*|going[ ]to
    |about[ ]to|estimat\w*|consider\w*|discuss\w*|talks|dream\w*|anticipat\w*|schedul\w*|target\w*|goal|upcoming|future
    |pending|next|not|no|never|none|neither|nor|without|nobody|nothing|hardly|barely|den(?:y|ies|ied|ial|ials|ying)
    |reject\w*|refus\w*|disput\w*|dismiss\w*|fail\w*|unable|almost|nearly|close[ ]to|narrowly|tr(?:y|ies|ied|ying)
    |attempt\w*|sought|seek\w*|pretend\w*|forg[eo]t\w*|avoid\w*|declin\w*|prevent\w*|former\w*|once|used[ ]to
    |previous\w*|until|ex|past|earlier|ago|back[ ]then|originally|at[ ]first|myth|misconception|wrong\w*|false\w*|untrue
    |incorrect\w*|mistak\w*|error\w*|novel|film|fiction\w*|story|tale|play|series|legend|hypothe\w*|imagin\w*|theor\w*
    |question\w*|ask\w*|wonder\w*|doubt\w*|investigat\w*|instead[ ]of|rather[ ]than|prepar\w*|agree\w*|decid\w*|decision
    |order\w*|told|sceptic\w*|skeptic\w*|convinc\w*|lack\w*|ahead|too|only|regret\w*|fear\w*|charged|trial|oppos\w*
    |statement\w*|withdr\w+|retract\w*|against|angeblich|mutmaßlich|vermeintlich|soll(?:en)?|laut|zufolge|dementier\w*|bestr[ei]+t\w*|leugn\w*|nicht
    |kein\w*|ob|wenn|falls|vielleicht|könnte\w*|wird|werden|prétendument|selon|rumeurs?|dément\w*|nie|nié|pas|aurait
    |auraient|si|peut|pourrait|va|vont|supuestamente|presuntamente|según|rumores|desm\w+|niega|negó|habría|puede|podría)\b
    |n['’]t\b|\?|[据传称说疑嫌或拟将要会若否未没不无险拒曾原再吗？如想应须必]|可能|计划|打算|有意|预[计期]|有望|希望|差点|假如""",
    re.IGNORECASE | re.VERBOSE,
)
"""A claim with one of these is not taken for a bare assertion."""

SURELY = frozenset(
    base(word)
    for word in """certain definite really actual proven proved fact sure settled truth reality confirmed established
    already known 已""".split()
)
"""Keys of the words by which a claim insists: they need not stand in the evidence."""

REALLY = re.compile(r"\b(?:really|actually|in (?:real life|reality|fact)|true story)\b", re.IGNORECASE)
TODAY = re.compile(
    r"\b(?:is|are|remains?|serves?|works?|now|current(?:ly)?|today|still|at present|has been)\b", re.IGNORECASE
)
NOT = re.compile(r"\b(?:not|never|no|cannot|nobody|none|neither|nor)\b|n['’]t\b", re.IGNORECASE)

DONE = re.compile(
    r"""\b(?:indeed|(?:he|she|they|it|and|who)[ ]did(?![ ]not)|did[ ]so
    |went[ ]ahead|as[ ](?:planned|predicted|promised|expected|announced|feared)|carried[ ]out
    |took[ ]effect|come[ ]true|came[ ]true|succeed(?:ed|s)|managed[ ]to|eventually|finally|in[ ]the[ ]end|at[ ]first
    |initially|originally|gave[ ]in|later|ha(?:s|ve)[ ]since|(?:was|were|proved)[ ]right|admit(?:s|ted)|confess(?:es|ed)
    |(?<!not[ ])(?:confirm(?:s|ed)|proved|proven|established)|convicted|answered|resolved|settled|decided[ ]on
    |turn(?:s|ed)[ ]out|completed|finished|yes)\b|证实|确认|承认|果然|终于|最终|后来""",
    re.IGNORECASE | re.VERBOSE,
)
"""Words with which the rest of the evidence may turn a plan, a rumour or a try into a fact."""
