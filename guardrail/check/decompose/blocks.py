"""Markdown blocks of an answer: what is prose, a list item, a heading, a table or code. Linear in the text length."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from guardrail.text.records import is_table_rule, table_cells
from guardrail.types import Span


class Kind(Enum):
    """What a block is."""

    PROSE = auto()
    ITEM = auto()
    HEADING = auto()
    CODE = auto()
    TABLE_HEADER = auto()
    TABLE_ROW = auto()
    MARKUP = auto()


@dataclass(slots=True)
class Block:
    """Consecutive lines of one kind. Lines are spans of the text without list, quote and heading markers."""

    kind: Kind
    lines: list[Span]
    headers: tuple[str, ...] = field(default=())  # column titles, for rows


_QUOTE = re.compile(r"(?:[ \t]{0,8}>[ \t]?){1,16}")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_ITEM = re.compile(
    r"[ \t\u3000]{0,40}(?:"
    r"(?:[-*+•‣▪◦●○·–—➢✓✔]|\(?\d{1,3}[.)]|[a-z][.)]|\([A-Za-z]\)|[ivx]{1,4}[.)])(?:[ \t\u3000]+|$)(?:\[[ xX]\][ \t]+)?"
    r"|\d{1,3}(?:、|[.．)）](?=[\u3400-\u9fff]))[ \t\u3000]*"
    r"|[（(](?:\d{1,3}|[一二三四五六七八九十]{1,3})[)）][ \t\u3000]*"
    r"|(?:[一二三四五六七八九十]{1,3}[、.．]|[①-⑳]|[•●·▪](?=[\u3400-\u9fff]))[ \t\u3000]*)"
)
_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})([^`\n]{0,80})$")
_READABLE_FENCES = frozenset({"markdown", "md", "text", "txt", "plaintext"})  # prose in disguise is read and checked
_RULE_MARKS = frozenset("-*_=")
_INDENT = re.compile(r"(?: {4}|\t)")
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’」』)）\]】*_]{0,4}$")
_LONG_LINE = 45  # a shorter line that stops without a full stop stands alone (verse, addresses, bare lists)

# Which lines of a fence or an indented block are code. When in doubt a line is prose: prose is read and checked.
_LANGUAGES = frozenset(
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


def _names_language(info: str) -> bool:
    """Whether the info string of a fence names a programming language (and says no more than a name may)."""
    words = info.strip().strip("{}").split()
    return 0 < len(words) <= 2 and words[0].lstrip(".").lower() in _LANGUAGES


def _is_prose(line: str) -> bool:
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


def _is_code(line: str) -> bool:
    """Whether a line clearly is code."""
    line = line[:400]
    return bool(_KEYWORD.match(line) or _SIGN.search(line) or _WEAK_SIGN.search(line)) and not _is_prose(line)


def _lines(text: str) -> list[Span]:
    spans, at = [], 0
    for line in text.splitlines(keepends=True):
        spans.append(Span(at, at + len(line.rstrip())))
        at += len(line)
    return spans


def _is_rule(line: str) -> bool:
    marks = set(line) - {" ", "\t"}
    return len(marks) == 1 and marks <= _RULE_MARKS and sum(map(line.count, marks)) >= 3


@dataclass(slots=True)
class _Fences:
    """Finds closing fences; remembers failures so that many unclosed fences stay linear."""

    text: str
    lines: list[Span]
    unclosed: dict[str, int] = field(default_factory=dict)

    def close(self, at: int, mark: str) -> int | None:
        """The line that closes the fence ``mark`` opened on line ``at``; None: it never closes, so it is no code."""
        if len(mark) >= self.unclosed.get(mark[0], len(mark) + 1):
            return None
        for i in range(at + 1, len(self.lines)):
            line = self.lines[i].of(self.text).strip()
            if len(line) >= len(mark) and line[0] == mark[0] and not line.strip(mark[0]):
                return i
        self.unclosed[mark[0]] = len(mark)
        return None


def _prefix(text: str, span: Span) -> tuple[Kind, Span]:
    """Kind and content of an ordinary line."""
    start, kind = span.start, Kind.PROSE
    if quote := _QUOTE.match(text, start, span.end):
        start = quote.end()
    if heading := _HEADING.match(text, start, span.end):
        return Kind.HEADING, Span(heading.end(), span.end)
    if item := _ITEM.match(text, start, span.end):
        if item.end() == span.end and any(c.isalnum() for c in item[0]):
            return kind, Span(start, span.end)  # a number alone on its line is an answer, not a marker
        start, kind = item.end(), Kind.ITEM
        if heading := _HEADING.match(text, start, span.end):  # "- ## Title"
            return Kind.HEADING, Span(heading.end(), span.end)
    return kind, Span(start, span.end)


def _table(text: str, lines: list[Span], at: int) -> list[Block]:
    """The table that starts on line ``at``, one block a line; empty if none does."""
    below = lines[at + 1].of(text) if at + 1 < len(lines) else ""
    if "|" not in lines[at].of(text) or not is_table_rule(below):
        return []
    headers = table_cells(lines[at].of(text))
    table = [Block(Kind.TABLE_HEADER, [lines[at]], headers), Block(Kind.TABLE_HEADER, [lines[at + 1]])]
    row = at + 2
    while row < len(lines) and "|" in lines[row].of(text):
        table.append(Block(Kind.TABLE_ROW, [lines[row]], headers))
        row += 1
    if len(table) == 2:  # what heads nothing is the answer itself
        table[0] = Block(Kind.TABLE_ROW, [lines[at]])
    return table


def _code(text: str, lines: list[Span], at: int, before: Block | None) -> list[Span]:
    """The indented lines from line ``at`` if they are code: not in a list, and not prose that is only indented."""
    line = lines[at].of(text)
    if not _INDENT.match(line) or (before and before.kind is Kind.ITEM) or _ITEM.match(line) or not _is_code(line):
        return []
    end = at + 1
    while end < len(lines) and _INDENT.match(text, *lines[end]) and not _is_prose(lines[end].of(text)):
        end += 1
    return lines[at:end]


def _fenced(text: str, lines: list[Span], info: str) -> list[Block]:
    """A fence as blocks: code, but for lines that read like prose; empty if it holds no code, so that it is read."""
    if _names_language(info):
        return [Block(Kind.CODE, lines)]
    if not any(_is_code(line.of(text)) for line in lines[1:-1]):
        return []
    blocks: list[Block] = []
    for number, line in enumerate(lines):
        quoted = line.of(text)
        if not quoted.strip():
            continue
        kind, content = Kind.CODE, line
        if (number == 0 and len(info.split()) > 1) or (0 < number < len(lines) - 1 and _is_prose(quoted)):
            kind, content = Kind.PROSE, _prefix(text, line)[1]
        if blocks and blocks[-1].kind is kind:
            blocks[-1].lines.append(content)
        else:
            blocks.append(Block(kind, [content]))
    return blocks


def split_blocks(text: str) -> list[Block]:
    """Split ``text`` into blocks; what no block covers is whitespace or a marker at the start of a line."""
    lines = _lines(text)
    fences = _Fences(text, lines)
    closing: set[int] = set()  # last lines of fences whose content is read
    blocks: list[Block] = []
    current: Block | None = None  # the prose or item that the next line may continue
    i = 0
    while i < len(lines):
        line = lines[i].of(text)
        found: list[Block] = []
        if not line:
            current, i = None, i + 1
            continue
        if i in closing:
            found = [Block(Kind.MARKUP, [lines[i]])]
        elif (fence := _FENCE.match(line)) and (end := fences.close(i, fence[1])) is not None:
            info = fence[2].strip()
            if info.lower() not in _READABLE_FENCES and (found := _fenced(text, lines[i : end + 1], info)):
                blocks += found
                current, i = None, end + 1
                continue
            closing.add(end)
            found = [Block(Kind.PROSE if len(info.split()) > 1 else Kind.MARKUP, [lines[i]])]
        elif table := _table(text, lines, i):
            found = table
        elif _is_rule(line):
            if current and set(line) == {"="} and len(current.lines) == 1:
                current.kind = Kind.HEADING  # setext heading
            found = [Block(Kind.MARKUP, [lines[i]])]
        elif current is None and (code := _code(text, lines, i, blocks[-1] if blocks else None)):
            found = [Block(Kind.CODE, code)]
        if found:
            blocks += found
            current, i = None, i + sum(len(block.lines) for block in found)
            continue
        kind, content = _prefix(text, lines[i])
        i += 1
        if content.start >= content.end:
            current = None
        elif kind is Kind.PROSE and current is not None:
            current.lines.append(content)
        else:
            blocks.append(Block(kind, [content]))
            current = None if kind is Kind.HEADING else blocks[-1]
    return blocks


def runs(block: Block, text: str) -> list[Span]:
    """Stretches of running text: lines of a block that a sentence may cross are joined."""
    joined: list[Span] = []
    for line in block.lines:
        start = joined.pop().start if joined and _continues(text, joined[-1], line) else line.start
        joined.append(Span(start, line.end))
    return joined


def _continues(text: str, before: Span, line: Span) -> bool:
    tail = text[max(before.start, before.end - 8) : before.end]
    if text[before.end : line.start].strip() or _SENTENCE_END.search(tail):
        return False
    width = before.end - max(before.start, text.rfind("\n", before.start, before.end) + 1)
    return width >= _LONG_LINE or text[line.start : line.start + 8].lstrip()[:1].islower()
