"""Which lines of a fence or an indented block are code. When in doubt a line is prose: prose is read and checked."""

from __future__ import annotations

import re

LANGUAGES = frozenset(
    """asm bash bat c c# c++ clojure cmake console cpp cs csharp css dart diff dockerfile elixir erlang f# fortran go
    golang gradle graphql groovy haskell hcl hs html http ini java javascript jinja jl js json jsonc jsx julia kotlin kt
    latex lua make makefile matlab mermaid mysql nginx objc ocaml pascal perl php postgresql powershell proto ps1 py
    pycon python python3 r rb regex rs ruby rust sass scala scss sh shell sql svg swift tcl terraform tex toml ts tsx vb
    vba vbnet verilog vhdl vue xml yaml yml zig zsh""".split()
)
_KEYWORD = re.compile(
    r"\s*(?:(?:def|class|import|from|return|if|elif|else|for|while|try|print|pip|npm|git|cd|sudo|curl|docker|const|let"
    r"|var|SELECT|INSERT|UPDATE|DELETE|CREATE)\b|#\w|#!|//|/\*|\$\ )"
)
_SIGN = re.compile(r"[={}<>]|\w\(|;\s*$|[├└│]")
_WEAK_SIGN = re.compile(r"[;$]")
_WORD = re.compile(r"[\"'“‘(]?[^\W\d_]+(?:['’-][^\W\d_]+)*[.,:;!?%\"'”’)]{0,4}")
_GRAMMAR = re.compile(r"\b(?:the|an|is|are|was|were|of|has|have|had)\b", re.IGNORECASE)
_STOP = re.compile(r"[.!?。！？][\"'”’)]?\s*$")
_HAN = re.compile(r"[\u3400-\u9fff]")


def names_language(info: str) -> bool:
    """Whether the info string of a fence names a programming language (and says no more than a name may)."""
    words = info.strip().strip("{}").split()
    return 0 < len(words) <= 2 and words[0].lstrip(".").lower() in LANGUAGES


def reads(line: str) -> bool:
    """Whether a line reads like prose, also among lines of code."""
    line = line[:400]
    if len(_HAN.findall(line)) >= 4:
        return True
    words = line.split()
    plain = sum(_WORD.fullmatch(word) is not None for word in words)
    if plain < 4 or plain * 3 < len(words) * 2:
        return plain >= 2 and _STOP.search(line) is not None and not (_KEYWORD.match(line) or _SIGN.search(line))
    if _KEYWORD.match(line):
        return not line.rstrip().endswith((":", "{", ";")) and bool(_GRAMMAR.search(line) or _STOP.search(line))
    return not _SIGN.search(line) or bool(_GRAMMAR.search(line) or _STOP.search(line))


def is_code(line: str) -> bool:
    """Whether a line clearly is code."""
    line = line[:400]
    return bool(_KEYWORD.match(line) or _SIGN.search(line) or _WEAK_SIGN.search(line)) and not reads(line)
