"""Sentences that decline to answer, by lexicon in English and Chinese and by structure in any language."""

from __future__ import annotations

import re

from guardrail.check.decompose.predicates import predicates

SOURCES = (
    r"(?:passages?|documents?|docs?|contexts?|sources?|texts?|information|search\ results?|results|references?"
    r"|materials?|articles?|excerpts?|"
    r"snippets?|content|knowledge\ base|provided\ data)"
)
_NOT = (
    r"(?:do(?:es)?\ not|don['’]t|doesn['’]t|did(?:\ not|n['’]t)|cannot|can\ ?not|can['’]t|could(?:\ not|n['’]t)"
    r"|fails?\ to|never)"
)
_SAY = (
    r"(?:say|mention|state|specify|answer|indicate|discuss|address|reveal|disclose|describe|explain|clarify|tell"
    r"|refer\ to|confirm|detail|talk|"
    r"elaborate|speak)"
)
# What goods or a firm may fail to do as well:
_HOLD = r"(?:contain|provide|include|give|have|offer|list|cover|present|supply|hold)"
_FACTS = r"(?:information|details?|mention|answers?|specifics|explanation|evidence|reference)"
_GIVEN = r"(?:provided|given|supplied|retrieved|available|search|these|reference|above)"
_ADVERB = (
    r"(?:(?:currently|really|actually|definitively|accurately|directly|also|even|therefore|with|certainty)\ ){0,2}"
)
_EPISTEMIC = (
    rf"{_ADVERB}(?:know|find|answer|determine|tell|say|confirm|verify|identify|locate|ascertain|establish|conclude"
    r"|respond|specify)\b"
)
_LEND = (  # "cannot provide" refuses only where it is information that is not provided
    r"(?:provide|give|have|see|access|offer|share)\ [^.;]{0,60}?\b(?:information|answers?|details?|specifics|knowledge"
    rf"|data|evidence|mention|reference|{SOURCES})\b(?!-)"
    r"|(?:provide|give|offer|quote)\ (?:you\ )?(?:an?|any|the)\ (?:(?:exact|precise|definite|reliable|firm)\ ){0,2}"
    r"(?:figure|number|date|estimate)\b(?=\W*$|\ (?:from|here)\b)"
    r"|help\ (?:you\ )?with\ (?:that|this|your)\b|help\W*$"
)
_THING = (
    r"[-\ ](?:desk|cent(?:re|er)|board|office|point|booth|counter|kiosk|sign|panel|leaflet|plaque|hotline|line|service"
    r"|sheet|technology|system|machine|pack|stand|tent|screen)s?\b"
)
_ENGLISH = re.compile(
    rf"""
    \bI\ (?:do\ not|don['’]t|cannot|can['’]t|could\ not|couldn['’]t|did\ not|didn['’]t)\ (?:{_EPISTEMIC}
        |{_ADVERB}(?:{_LEND}))
    |\b(?:I['’]?\ ?a?m|we\ are|I\ was)\ (?:(?:unable|not\ able)\ to\ (?:{_EPISTEMIC}|{_ADVERB}(?:{_LEND}))
        |not\ (?:sure|certain|aware)\b(?!-))
    |\bI\ have\ (?:no|insufficient)\ (?:information|knowledge|data|idea|record)
    |\b{SOURCES}\b[^.;]{{0,40}}?\b{_NOT}\ (?:\w+\ ){{0,2}}{_SAY}\b(?!-)
    |\b{SOURCES}\b[^.;]{{0,40}}?\b{_NOT}\ (?:\w+\ ){{0,2}}{_HOLD}\ (?:[\w-]+\ ){{0,3}}{_FACTS}\b
    |\b{_GIVEN}\ (?:\w+\ )?{SOURCES}\b[^.;]{{0,20}}?\b{_NOT}\ (?:\w+\ ){{0,2}}{_HOLD}\b
    |\b(?:none|neither)\ of\ the\ (?:\w+\ ){{0,3}}{SOURCES}\b
    |(?:\bthere\ (?:is|was|are)\ |^)no\ (?:\w+\ ){{0,2}}(?:information|mention|answer|details?)\b(?!{_THING})
    |\b(?:not|n['’]t)\ (?:\w+\ ){{0,2}}(?:mentioned|stated|specified|provided|found|given|available|included|discussed
    |addressed|covered
        |described|answered|indicated|disclosed|clear|present|known)\b[^.;]{{0,60}}\b(?:in|by|from|within)\ (?:the
        |these|this|any|your|our|my|{_GIVEN})\ (?:[\w-]+\ ){{0,3}}{SOURCES}\b
    |\b(?:not|n['’]t)\ (?:possible|enough\ information)\ to\ (?:say|determine|answer|tell|know)\b
    |\b(?:there\ (?:is|was)|have|has|contains?|provides?)\ (?:not\ (?:enough|sufficient)|insufficient
    |inadequate)\ (?:\w+\ ){{0,2}}(?:information|context|details?)\b
    |^(?:not\ enough|insufficient)\ (?:information|context|data)\b
    |\b{SOURCES}\b[^.;]{{0,20}}\black(?:s|ing)?\ (?:\w+\ ){{0,3}}(?:information|details?)\b
    |\b(?:information|answer|detail)s?\ (?:is|was|are)\ (?:not|un)\ ?(?:available|provided|known|given)\W*$
    |\b(?:cannot|can['’]t|can\ not|could\ not|impossible\ to|unable\ to)\ (?:be\ )?(?:\w+ly\ )?(?:determined?
    |answer(?:ed)?|ascertain(?:ed)?|conclude|found)\b
        (?=[^.;]{{0,120}}\b(?:from|in|using|based\ on|by|with)\ (?:[\w-]+\ ){{0,4}}{SOURCES}\b|\ (?:this|the
        |your)\ question)
    |\b(?:this|your|the)\ (?:question|answer)\ (?:cannot|can['’]t|could\ not)\ be\ \w+
    |\bunclear\ (?:from|based\ on)\ (?:the\ )?(?:\w+\ ){{0,2}}{SOURCES}\b
    |^(?:unknown|not\ (?:known|specified|mentioned|available|provided|stated)|no\ answer|n/a|unanswerable)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ELLIPTIC = re.compile(
    rf"(?:they\ |it\ )?{_NOT} (?:\w+\ ){{0,2}}(?:{_SAY}|{_HOLD}\ (?:\w+\ ){{0,3}}{_FACTS})\b", re.IGNORECASE
)
_ENGLISH_SOURCES = re.compile(rf"^(?:\w+\ ){{0,4}}{SOURCES}\b", re.IGNORECASE)
_HAN_SOURCE = (
    r"(?:资料|文档|文本|文章|上下文|信息|段落|材料|内容|文献|片段|检索结果|知识库|資料|文件|訊息|資訊|文中|原文)"
)
_CHINESE = re.compile(
    rf"(?:^|^[^。]{{0,24}}(?:{_HAN_SOURCE}|我们?|问题|其中|从中|抱歉|目前|因此)[^。]{{0,10}}?)(?:无法|無法|不能"
    rf"|没有办法|难以)[^，。；]{{0,12}}"
    r"(?:回答|确定|確定|得知|判断|判斷|得出|作答|确认|確認|获知|知晓|解答|给出答案|提供(?:答案|相关))"
    rf"|{_HAN_SOURCE}[^。；]{{0,20}}?(?:没有|未|并未|並未|沒有|不曾|均未|无)(?:直接|明确|具体|明確|具體|有|提供)?"
    r"(?:提及|提到|说明|說明|包含|给出|給出|提供|涉及|记载|記載|介绍|明确|明確|指出|足够|足夠|说|描述|披露|相关|相關"
    r"|找到|解释|关于)"
    r"|我(?:也|并)?(?:不知道|不清楚|不太清楚|不确定|不太确定|不了解|没有(?:相关|足够|关于))"
    r"|^(?:目前|抱歉[，,]?|对不起[，,]?)?(?:没有|缺乏|缺少|暂无|未找到|找不到|未查到|沒有)(?:足够|相关|相關|有关"
    r"|关于[^。]{1,30}|任何|足夠|充足|找到|明确)?的?(?:信息|资料|資料|内容|答案|資訊)"
    r"|^(?:未知|不详|无从得知|无法回答|无可奉告)[。.！!]*$"
)
_CLAUSE = re.compile(
    r"[,;，；]\s*(?:(?:but|however|though|although|yet|so|and|or|nor|while|because|since|as)\b|但是?|不过|然而|可是|所以"
    r"|因此|因为|而|并)\s*[,，]?"
    r"|\s(?:and|but|however|although|though|yet|while|whereas|because)\s|[,;，；—]|\s[-–]{1,3}\s|[:：](?!\d)",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:or\ )?(?:in\ |at\ |by\ |to\ )?(?:who|whom|whose|what|when|where|why|how|which|whether)\b", re.IGNORECASE
)
_NOUN = re.compile(
    r"(?:the|its|his|her|their|any|a|an|other|more|further|this|that|such|about|of|in|for)\b", re.IGNORECASE
)
_SOURCE_PHRASE = re.compile(
    rf"(?:based\ (?:up)?on|according\ to|in|from|within|given)\ (?:[\w-]+\ ){{0,4}}{SOURCES}"
    r"(?:\ (?:provided|given|above|available|alone|you\ provided)){0,2}",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"(?:unfortunately|(?:I['’]?\ ?a?m\ )?(?:very\ |really\ )?sorry(?:\ for\ [\w ]{1,40})?|(?:I\ "
    r"|my\ )?apolog\w+(?:\ for\ [\w ]{1,40})?|regrettably|no"
    r"|I\ can\ (?:help|try|offer)\b[^.]{0,80}|(?:please|feel\ free|let\ me\ know)\b[^.\d]{0,100}"
    rf"|(?:(?:based|according)\b[^.]{{0,20}}\b)?(?:the\ )?(?:\w+\ ){{0,3}}{SOURCES}\ (?:\w+\ ){{0,2}}(?:mentions?"
    rf"|discuss(?:es)?|describes?|talks?|contains?|provides?|covers?)\b"
    r"(?:(?!\b(?:that|as|is|was|are|were)\b)[^.\d]){0,60}"
    r"|(?:非常|很)?(?:抱歉|对不起|很遗憾|遗憾的是|不好意思)|(?:根据|基于|从)[^，。]{0,16})[\s,.!，。！]*",
    re.IGNORECASE,
)

# In other European languages a refusal is negated, names a source and a way of telling, and brings nothing besides.
_NEGATIONS = frozenset(
    """no non not nie nicht kein keine keinen nein ne pas aucun aucune rien niet geen não nao nenhum nenhuma sin ningún
    ninguna tampoco sem nessun nessuna senza żaden żadne brak нет не ни без""".split()
)
_SOURCE_STEM = re.compile(
    r"inform|document|dokument|conte[xs]t|kontext|kontekst|passag|text|quell|fonte|fuente|sourc|źród|bron|информац"
    r"|документ|контекст|источник|текст",
    re.IGNORECASE,
)
_TELLING_STEM = re.compile(
    r"inform|antwort|antwoord|respuest|respond|répon|rispo|respost|beantwort|odpowie|menci|mention|erwähn|vermeld|indiqu"
    r"|indic|specific|préc|angab|angegeb|wspom|zawier|информац|ответ|указ|упомин|говор",
    re.IGNORECASE,
)
_NOT_KNOWING = re.compile(
    r"\b(?:no (?:lo )?sé|no puedo responder|je ne (?:le )?sais pas|je ne peux pas répondre|n[ãa]o sei"
    r"|n[ãa]o posso responder|non (?:lo )?so|non posso rispondere|ich weiß[^.]{0,30} nicht|weiß ich[^.]{0,20} nicht"
    r"|kann[^.]{0,60} nicht beantwort|ik weet[^.]{0,30} niet|kan[^.]{0,50} niet beantwoord|nie wiem"
    r"|nie mogę odpowiedzieć|не знаю|не могу ответить)\b",
    re.IGNORECASE,
)
_EAST_ASIAN = re.compile(
    r"(?:わかりません|分かりません|わからない|答えられません|回答できません|(?:情報|資料|文書|文脈|本文|記載"
    r"|文章)[^。]{0,25}(?:ありません|いません|ない|できません|見つかりません)"
    r"|알\ ?수\ ?없|모르겠|모릅니다|답(?:변)?할\ 수\ 없|(?:정보|문서|자료|본문|내용)[^.]{0,25}(?:없습니다|않습니다"
    r"|없다|않는다))"
)
_HINT = re.compile(  # no refusal in ASCII goes without one of these; spares the rest of the work
    r"\b(?:n|un|sin\b|kein|brak|geen|sem\b|senza|aucun|imposs|insuff|inadeq|fail|lack|rien|tampoco)|n't|cannot|can not",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d{3,}")
_MAX_WORDS = 40


def _beyond(sentence: str, question: str | None) -> bool:
    """Whether the sentence brings numbers that the question does not have: then it claims something."""
    if question is None:
        return False
    return any(number not in question for number in _NUMBER.findall(sentence))


def _names_what_is_refused(clause: str, question: str | None) -> bool:
    """Whether a clause beside a refusal only names what is refused: an indirect question, a thing, asked words."""
    clause = clause.strip(" .!?。！？\"'”")
    words = [word.lower() for word in _WORD.findall(clause)]
    if question and len(words) <= _MAX_WORDS and set(words) <= {word.lower() for word in _WORD.findall(question)}:
        return not re.search(r"\d", clause)
    if _SOURCE_PHRASE.fullmatch(clause):
        return True
    if re.search(r"\d", clause) or not clause.isascii():
        return False
    if _ASKED.match(clause):
        return len(words) <= 10
    return len(words) <= (6 if _NOUN.match(clause) else 3) and not predicates(clause)


def _declines_structurally(sentence: str, question: str | None) -> bool:
    words = _WORD.findall(sentence)
    if not 1 < len(words) <= _MAX_WORDS or (sentence.isascii() and _ENGLISH_WORDS.search(sentence)):
        return False
    if _NOT_KNOWING.search(sentence):
        return True
    lowered = {word.lower() for word in words}
    if not lowered & _NEGATIONS:
        return False
    sources = {word for word in lowered if _SOURCE_STEM.match(word)}
    telling = {word for word in lowered if _TELLING_STEM.match(word)}
    if not sources or not telling or len(sources | telling) < 2:
        return False
    # A name that nobody asked about is a claim. German writes every noun large, so a few are let pass.
    asked = {word.lower() for word in _WORD.findall(question or "")}
    named = {w.lower() for w in words[1:] if w[0].isupper() and len(w) > 2} - sources - telling - asked
    return question is None or len(named) <= len(words) // 4


_ENGLISH_WORDS = re.compile(r"\b(?:the|is|are|was|of|and|not|this|does|do)\b", re.IGNORECASE)


def split_clauses(sentence: str) -> list[str]:
    """Clauses and list items of a sentence, without the connectives between them."""
    return [clause.strip() for clause in _CLAUSE.split(sentence) if clause.strip(" .。,，!！")]


def refuses(clause: str) -> bool:
    """Whether a clause says that the answer is not known or not in the passages."""
    return bool(_ENGLISH.search(clause) or _CHINESE.search(clause) or _EAST_ASIAN.search(clause))


def claims_nothing(clause: str, question: str | None) -> bool:
    """Whether a clause beside a refusal is courtesy, names the passages, or only names what is refused."""
    return _HARMLESS.fullmatch(clause) is not None or _names_what_is_refused(clause, question)


def declines(sentence: str, question: str | None, lang: str) -> bool:
    """Whether the (plain) sentence says only that the answer is not known or not in the passages.

    ``lang`` is the code from :func:`guardrail.text.sentences.language`.
    """
    if sentence.isascii() and not _HINT.search(sentence):
        return False
    if len(sentence) > 600 or _beyond(sentence, question):
        return False
    refused, sourced = 0, False
    for clause in split_clauses(sentence):
        if sourced and _ELLIPTIC.match(clause):  # "The passages name the tower, but do not say who built it."
            refused += 1
            continue
        sourced = sourced or _ENGLISH_SOURCES.search(clause) is not None
        if refuses(clause):
            refused += 1
        elif not claims_nothing(clause, question):
            break
    else:
        if refused:
            return True
    return lang not in {"zh", "ja", "ko"} and _declines_structurally(sentence, question)
