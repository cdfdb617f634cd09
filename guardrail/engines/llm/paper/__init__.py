"""Each seed's own call pattern, for reproduction of the papers' tables; ``fast`` and ``thorough`` are cheaper.

With n sentences, m claims or facts, k passages, T individuals that the passages describe and s segments:

==============  ==========================  ======
plan            calls                       rounds
==============  ==========================  ======
face4rag        1 + 2s                      2
d-factscore     n + 1 + m*T                 3
refchecker      1 + k*ceil(m/5)             2
==============  ==========================  ======
"""
