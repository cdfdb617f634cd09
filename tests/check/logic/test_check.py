"""Logic: relations found in a text, and relations licensed by evidence (L-Face4RAG, section 4.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.logic import check_logic, find_relations
from guardrail.check.logic.relations import MAX_RELATIONS, MAX_SIDE, MAX_TEXT
from guardrail.types import ErrorType, LogicVerdict, RelationKind

R = RelationKind
E = ErrorType

FOUND = [
    ("Sales fell because the price rose.", R.CAUSE, "because", "the price rose", "Sales fell"),
    ("Because the price rose, sales fell.", R.CAUSE, "Because", "the price rose", "sales fell"),
    ("Owing to the storm, the race was cancelled.", R.CAUSE, "Owing to", "the storm", "the race was cancelled"),
    ("The race was cancelled due to the storm.", R.CAUSE, "due to", "the storm", "The race was cancelled"),
    ("The crash was caused by a worn bearing.", R.CAUSE, "caused by", "a worn bearing", "The crash"),
    ("A worn bearing led to the crash.", R.CAUSE, "led to", "A worn bearing", "the crash"),
    ("Frost results in cracks.", R.CAUSE, "results in", "Frost", "cracks"),
    ("The price rose. Therefore, sales fell.", R.CAUSE, "Therefore", "The price rose", "sales fell"),
    ("The price rose; as a result, sales fell.", R.CAUSE, "as a result", "The price rose", "sales fell"),
    ("The price rose. Sales therefore fell.", R.CAUSE, "therefore", "The price rose", "Sales fell"),
    ("The heat test was enough for payment.", R.CONDITION, "was enough for", "The heat test", "payment"),
    ("The price rose, so sales fell.", R.CAUSE, "so", "The price rose", "sales fell"),
    ("因为下雨，比赛取消了。", R.CAUSE, "因为", "下雨", "比赛取消了"),
    ("比赛取消是因为下雨。", R.CAUSE, "是因为", "下雨", "比赛取消"),
    ("之所以停工，是因为缺钱。", R.CAUSE, "是因为", "缺钱", "停工"),
    ("大雨导致水位上涨。", R.CAUSE, "导致", "大雨", "水位上涨"),
    ("大雨下了一夜，因此河水上涨。", R.CAUSE, "因此", "大雨下了一夜", "河水上涨"),
    ("They cut the hedge in order to let light in.", R.PURPOSE, "in order to", "They cut the hedge", "let light in"),
    ("He lowered the screen so that he sees it.", R.PURPOSE, "so that", "He lowered the screen", "he sees it"),
    ("为了省电，他们关了灯。", R.PURPOSE, "为了", "他们关了灯", "省电"),
    ("If you register, the guarantee runs on.", R.CONDITION, "If", "you register", "the guarantee runs on"),
    ("The lamp glows as long as current flows.", R.CONDITION, "as long as", "current flows", "The lamp glows"),
    ("如果登录，就可以上传。", R.CONDITION, "如果", "登录", "可以上传"),
    ("只要登录，就可以上传。", R.CONDITION, "只要", "登录", "可以上传"),
    ("It is valid only if you register.", R.NECESSITY, "only if", "you register", "It is valid"),
    ("Unless you register, the guarantee lapses.", R.NECESSITY, "Unless", "you register", "the guarantee lapses"),
    ("Admission requires a degree.", R.NECESSITY, "requires", "a degree", "Admission"),
    ("只有持证者才能进入。", R.NECESSITY, "只有", "持证者", "能进入"),
    ("除非登录，否则不能上传。", R.NECESSITY, "除非", "登录", "否则不能上传"),
    ("Although it rained, the match went on.", R.CONCESSION, "Although", "it rained", "the match went on"),
    ("The match went on despite the rain.", R.CONCESSION, "despite", "the rain", "The match went on"),
    ("It rained, but the match went on.", R.CONCESSION, "but", "It rained", "the match went on"),
    ("虽然下雨，但比赛照常进行。", R.CONCESSION, "虽然", "下雨", "但比赛照常进行"),
    ("Wash the rice before you cook it.", R.SEQUENCE, "before", "Wash the rice", "you cook it"),
    ("After the flood, the bridge was closed.", R.SEQUENCE, "After", "the flood", "the bridge was closed"),
    ("在比赛之前，他们签了名。", R.SEQUENCE, "之前", "他们签了名", "在比赛"),
    ("洪水之后，大桥关闭。", R.SEQUENCE, "之后", "洪水", "大桥关闭"),
    ("The K60 is heavier than the K40.", R.COMPARISON, "heavier than", "The K60", "the K40"),
    ("The K40 weighs less than the K60.", R.COMPARISON, "less than", "the K60", "The K40 weighs"),
    ("Unlike the K40, the K60 floats.", R.COMPARISON, "Unlike", "the K60 floats", "the K40"),
    ("甲塔高于乙塔。", R.COMPARISON, "高于", "甲塔", "乙塔"),
    ("They sell fruits such as apples.", R.INCLUSION, "such as", "They sell fruits", "apples"),
    ("A tomato is a kind of berry.", R.INCLUSION, "a kind of", "berry", "A tomato"),
    ("The kit consists of two clips.", R.INCLUSION, "consists of", "The kit", "two clips"),
    ("水果包括苹果和梨。", R.INCLUSION, "包括", "水果", "苹果和梨"),
    ("鲸属于哺乳动物。", R.INCLUSION, "属于", "哺乳动物", "鲸"),
    ("主题是插件的一种。", R.INCLUSION, "是插件的一种", "插件", "主题"),
    ("All plots lost water.", R.SCOPE, "All", "All", "plots lost water"),
    ("Only members may vote.", R.SCOPE, "Only", "Only", "members may vote"),
    ("所有规则同时运行。", R.SCOPE, "所有", "所有", "规则同时运行"),
    ("大多数学生住校。", R.SCOPE, "大多数", "大多数", "学生住校"),
]

NOT_FOUND = [
    ("It has stood there since 1950.", R.CAUSE),
    ("Three of the ten did so.", R.CAUSE),
    ("He was first of all a painter.", R.SCOPE),
    ("She swims once a week.", R.CONDITION),
    ("More than 20 people came.", R.COMPARISON),
    ("It looks like rain.", R.INCLUSION),
    ("It hardens not because it dries.", R.CAUSE),
    ("Juice reduces the effect of the tablets.", R.CAUSE),
    ("The level has since been low.", R.CAUSE),
    ("The wait can be as long as twelve weeks.", R.CONDITION),
    ("原因不明。", R.CAUSE),
    ("百分比上升。", R.COMPARISON),
    ("若干人受伤。", R.CONDITION),
    ("首都很大。", R.SCOPE),
]

WRONG = [
    (
        "Pump fuel became expensive because 212 farmers adopted the method.",
        ["In the valley, 212 farmers adopted the method because pump fuel became expensive."],
        E.CAUSAL_CONFUSION,
        True,
    ),
    (
        "The bridge was closed because the inspectors praised the railing.",
        ["The bridge was closed because the pier had sunk.", "The inspectors praised the railing."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    (
        "Dust jammed the hinge because the battery froze during the night.",
        ["Dust jammed the hinge and the battery froze during the night."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    (
        "A degree is enough for admission to the course.",
        ["Admission to the course requires a degree and a clean record."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Repot the orchid only if the bark has turned soft and the roots push the plant out.",
        ["Repot the orchid when the bark has turned soft or the roots push the plant out."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "All households switched on a backup stove.",
        ["Eleven of the thirty households switched on a backup stove."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Vaccination always causes drowsiness in puppies.",
        ["Vaccination may cause drowsiness in puppies."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Cold standby is a kind of hot standby.",
        ["Backup nodes are either hot standby or cold standby."],
        E.INCLUSION_RELATION,
        False,
    ),
    (
        "The rent includes parking.",
        ["Parking is not included in the rent."],
        E.INCLUSION_RELATION,
        True,
    ),
    (
        "The noise complaints ended before the installer moved the units.",
        ["The noise complaints ended after the installer moved the units."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "He recommends raising the monitor rather than lowering the chair.",
        ["He recommends lowering the chair rather than raising the monitor."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "The K40 is heavier than the older K60.",
        ["The older K60 is heavier than the K40."],
        E.ENTITY_INVERSION,
        True,
    ),
    (
        "The yearly bonus is reduced because heavy trucks damaged the bridge.",
        ["The yearly bonus is reduced in proportion.", "Heavy trucks damaged the bridge."],
        E.CAUSAL_CONFUSION,
        False,
    ),
    (
        "Passing the heat test was enough for a clock to be paid for.",
        ["A clock was paid for only if it passed both a heat test and a vibration test."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Wedging the frame is enough to make the carillon play again.",
        ["Wedging the frame alone does not make the carillon play again."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "A locked account opens again only if an administrator resets it.",
        ["A locked account opens again after an hour, even when no administrator resets it."],
        E.SUFFICIENT_NECESSARY,
        True,
    ),
    (
        "Motorcycles park free in all bays, even in those marked with a wheel.",
        ["Motorcycles park free in every bay except those marked with a wheel."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "All the members chose a model without additional payment.",
        ["Of the 1,240 members, 68 percent chose a model without any additional payment."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "Rust reduces bulb size in every year.",
        ["Rust may reduce bulb size in wet years."],
        E.OVERGENERALIZATION,
        True,
    ),
    (
        "The blue orchid is one of the flowers in the mix.",
        ["The mix holds ten flowers, but not the blue orchid."],
        E.INCLUSION_RELATION,
        True,
    ),
    (
        "Corners fail first, so use nails rather than stainless screws.",
        ["Corners fail first, so use stainless screws rather than nails."],
        E.OTHER_LOGIC,
        True,
    ),
    (
        "Use nails instead of screws.",
        ["Use screws rather than nails."],
        E.OTHER_LOGIC,
        True,
    ),
    ("洪水泛滥是因为桥梁关闭。", ["因为洪水泛滥，桥梁关闭。"], E.CAUSAL_CONFUSION, True),
    ("只要连续游两百米，就可以考取合格证。", ["考取合格证须连续游两百米并踩水三十秒。"], E.SUFFICIENT_NECESSARY, True),
    ("所有消防员均已出院。", ["消防员大多已出院。"], E.OVERGENERALIZATION, True),
    ("冷备是热备的一种。", ["备份节点分为热备和冷备。"], E.INCLUSION_RELATION, False),
    (
        "科考船在加装测深仪之前发现了飞鸿海山。",
        ["1981年加装测深仪之后，科考船发现了飞鸿海山。"],
        E.OTHER_LOGIC,
        True,
    ),
]

LICENSED = [
    ("The race was cancelled because of the storm.", ["Owing to the storm, the race was cancelled."]),
    ("The worn bearing led to the crash.", ["The crash was caused by the worn bearing."]),
    ("If the water runs hot, the motor stops.", ["The motor stops if the water runs hot."]),
    ("The guarantee holds only if buyers register.", ["Only if buyers register, the guarantee holds."]),
    ("Although it rained, the match went on.", ["The match went on although it rained."]),
    ("The bridge closed after the flood.", ["After the flood, the bridge closed."]),
    ("The K60 is heavier than the K40.", ["The new K60 is heavier than the old K40."]),
    ("Berries such as tomatoes ripen late.", ["Berries, such as tomatoes, ripen late in autumn."]),
    ("Parking is included in the rent.", ["The rent includes parking."]),
    ("Insurance is part of the Plus plan.", ["The Plus plan includes insurance and a lock."]),
    ("The Plus plan includes insurance.", ["Insurance is included in the Plus plan and costs extra with Basic."]),
    ("由于暴雨，比赛取消。", ["因为暴雨，比赛取消。"]),
    ("如果下雨，比赛就取消。", ["如果下雨，比赛取消。"]),
]

HONEST = [
    ("The ferry was out of service because a shaft cracked.", ["A cracked shaft took the ferry out of service."]),
    ("The road was shut owing to the landslide.", ["After the landslide, the road was shut."]),
    ("The plant died because it got no water.", ["Getting no water made the plant die."]),
    ("He moved abroad because he needed work.", ["He moved abroad to find work."]),
    ("The talks failed because of the walkout.", ["The walkout prevented the talks from succeeding."]),
    ("The firm cut jobs because sales fell.", ["Sales fell; the firm cut jobs as a consequence."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, forcing the firm to cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Falling sales prompted the firm to cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, so the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs, as sales fell."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs: sales fell by a third."]),
    ("The firm cut jobs because sales fell.", ["The firm cut jobs since sales fell."]),
    ("The firm cut jobs because sales fell.", ["Sales fell. As a result, the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell.", "That is why the firm cut jobs."]),
    ("The firm cut jobs because sales fell.", ["Sales fell, which meant that the firm cut jobs."]),
    ("The village lost power because the dam failed.", ["The dam's failure left the village without power."]),
    ("The crew survived thanks to the raft.", ["The raft saved the crew."]),
    ("The H2 is unsuitable because its chip has no driver.", ["It does not run on the H2, whose chip has no driver."]),
    ("Wages rose, so prices rose.", ["Prices rose because wages rose."]),
    ("The pump stops if it runs dry.", ["When it runs dry, the pump stops."]),
    ("If you pay late, a fee is due.", ["A fee is due whenever payment is late."]),
    ("The file is kept unless you delete it.", ["The file is kept until you delete it."]),
    ("The lamp glows as long as current flows.", ["The lamp glows while current flows and it dims afterwards."]),
    ("Entry is free only for members.", ["Members enter free; others pay."]),
    ("You may vote only if you are a member.", ["Nobody but members may vote."]),
    ("Animals such as bats sleep in winter.", ["Bats sleep in winter."]),
    ("The band includes two drummers.", ["The band has two drummers."]),
    ("All of the members voted for it.", ["The vote of the members was unanimous."]),
    ("Every sample was tested.", ["Each of the samples was tested."]),
    ("None of the plants survived.", ["The plants all died."]),
    ("Not all bats echolocate.", ["Some bats do not echolocate."]),
    ("The complaint was settled before the trial.", ["The trial came after the complaint was settled."]),
    ("The K40 is lighter than the K60.", ["The K60 is heavier than the K40."]),
    ("Though cheap, the lamp lasts.", ["The lamp is cheap but lasts."]),
    ("The paper is late because the editor left.", ["The paper is late.", "The reason is that the editor left."]),
    (
        "Most older drivers ask for early shifts because night vision grows weaker.",
        ["Older drivers are given early shifts if they ask.", "Most ask, because night vision grows weaker."],
    ),
    ("Late claims must be reported because the law rejects them.", ["Report late claims; the law rejects them."]),
    (
        "Because patients under 16 were left out, the system must not be used for children.",
        ["Patients under 16 were left out.", "The system must therefore not be used for children."],
    ),
    (
        "Concrete hardens because cement reacts with water, not because it dries.",
        ["It does not dry to harden; concrete hardens because cement reacts with water."],
    ),
    ("The line has one track because of the tunnel.", ["The tunnel is why the line was never given a second track."]),
    (
        "The level is kept low because of the crack.",
        ["A crack was found in the dam, and the level has since been kept low."],
    ),
    (
        "The library is closed because a pipe burst.",
        ["The library is closed until May after a pipe burst."],
    ),
    ("Low acidity does not suffice for this oil.", ["This oil counts only when acidity is low and no heat is used."]),
    ("The wait can be as long as twelve weeks.", ["The wait takes five weeks and must never exceed twelve."]),
    (
        "A certificate is accepted as long as it names the start of the illness.",
        ["A certificate is accepted, but it must name the start of the illness."],
    ),
    ("Aaker won the cup more often than anyone else.", ["Only Aaker won the cup nine times, and no one won more."]),
    (
        "The seller may sell recordings only if he played on them.",
        ["The seller may sell recordings if he played on them."],
    ),
    ("All depots but Corley met the target.", ["Every depot met the target except Corley."]),
    ("Fats, emulsifiers and acid all slow staling.", ["Fats and emulsifiers slow staling, and so does acid."]),
    (
        "Every unit shipped in 2018 had this password.",
        ["Units shipped until May 2020 had this password on every unit."],
    ),
    ("Anyone living alone stays for one night.", ["Those who live alone stay for one night."]),
    ("The pins are X-rayed before the tower is cleaned.", ["The tower is not cleaned until the pins are X-rayed."]),
    ("The kit consists of the hose and two clips.", ["The kit contains the hose and two clips; oil is not included."]),
    ("All rooms have a bath.", ["The rooms have a bath."]),
    ("The pool is open to all guests.", ["Guests may use the pool."]),
    ("Support is always free.", ["Support is free."]),
    (
        "A portfolio is enough for the Aldous.",
        ["Applicants for the Aldous need either a school report or a portfolio."],
    ),
    ("65 points would be enough at Tontaine but too few at Grand Tontaine.", ["In Grand Tontaine, 61 are not enough."]),
    ("As long as wind blows, nobody gets a seat on the lift.", ["The lift runs only if no wind blows."]),
    (
        "In sunlight the Inkwell stayed clear, while the Lumo was dim.",
        ["The Lumo was dim, while the Inkwell stayed clear."],
    ),
    ("Loaves bake for 55 minutes in all.", ["Bake loaves for 15 minutes, then for 40."]),
    ("工程停工是因为资金不足。", ["资金不足，导致工程停工。"]),
    ("因为缺水，庄稼枯死了。", ["缺水使庄稼枯死。"]),
    ("由于桥墩下沉，大桥限载。", ["大桥因桥墩下沉而限载。"]),
    ("只有会员才能投票。", ["非会员不得投票。"]),
    ("主题不属于插件。", ["主题不算插件，只是文件。"]),
    ("如果下雨，比赛推迟。", ["遇雨时，比赛推迟。"]),
]


def judge(text: str, evidence: list[str]) -> LogicVerdict:
    return check_logic("s1", text, find_relations(text), evidence)


@pytest.mark.parametrize(("text", "kind", "connective", "first", "second"), FOUND)
def test_relation_is_found(text: str, kind: R, connective: str, first: str, second: str) -> None:
    """Kind, connective and both sides in normal order."""
    assert (kind, connective, first, second) in [
        (r.kind, r.connective, r.first, r.second) for r in find_relations(text)
    ]


@pytest.mark.parametrize(("text", "kind"), NOT_FOUND)
def test_other_meaning_is_no_relation(text: str, kind: R) -> None:
    """The same letters with another meaning state no relation of that kind."""
    assert kind not in [r.kind for r in find_relations(text)]


@pytest.mark.parametrize(("text", "evidence", "error_type", "contradicts"), WRONG)
def test_wrong_relation(text: str, evidence: list[str], error_type: E, contradicts: bool) -> None:
    """Each logical error is found, named, explained and located."""
    verdict = judge(text, evidence)
    assert (verdict.consistent, verdict.error_type, verdict.contradicts) == (False, error_type, contradicts)
    assert verdict.segment_id == "s1"
    assert verdict.reason.endswith(".")
    assert verdict.focus is not None
    assert verdict.focus.of(text) in [r.connective for r in find_relations(text)]


@pytest.mark.parametrize(("text", "evidence"), LICENSED)
def test_licensed_relation(text: str, evidence: list[str]) -> None:
    """The same relation in other order or with another connective is consistent."""
    assert judge(text, evidence).consistent is True


@pytest.mark.parametrize(("text", "evidence"), HONEST)
def test_no_false_alarm(text: str, evidence: list[str]) -> None:
    """An honest rewording is never called inconsistent."""
    verdict = judge(text, evidence)
    assert verdict.consistent is not False, verdict


@pytest.mark.parametrize("evidence", [[], [""], ["The harbour was dredged in spring."]])
def test_silent_evidence(evidence: list[str]) -> None:
    """Evidence that does not speak of both sides decides nothing."""
    assert judge("Sales fell because the price rose.", evidence).consistent is None


def test_no_relation() -> None:
    """Nothing to judge without a relation."""
    assert judge("The tower stands in Vienna.", ["The tower stands in Graz."]).consistent is None


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            [
                "because",
                "if",
                "因为",
                "所有",
                "all",
                ",",
                ".",
                "，",
                "。",
                "A",
                "B",
                "是",
                "一种",
                "than",
                "er",
                "only",
                "之前",
            ]
        )
    ).map(" ".join)
)
def test_any_text(text: str) -> None:
    """No text breaks the search; every span is the connective; a text is consistent with itself."""
    relations = find_relations(text)
    assert all(relation.span.of(text) == relation.connective for relation in relations)
    assert check_logic("s", text, relations, [text]).consistent is not False
    assert check_logic("s", text, relations, [text + " x", "y"]).segment_id == "s"


@pytest.mark.parametrize(
    "piece", ["because ", "than ", "heavier than ", "之前", "是一种", " ", ",", "only if a, ", "and not all "]
)
def test_work_is_bounded(piece: str) -> None:
    """Of a megabyte of connectives, no more is read than of a page."""
    text = piece * (1_000_000 // len(piece))
    relations = find_relations(text)
    assert len(relations) <= MAX_RELATIONS
    assert all(relation.span.end <= MAX_TEXT for relation in relations)
    assert all(len(side) <= 3 * MAX_SIDE for relation in relations for side in (relation.first, relation.second))
    assert check_logic("s", text, relations, [text, "because of it"]).segment_id == "s"


def test_worst_ruling_wins() -> None:
    """One reversed relation outweighs a licensed one."""
    text = "The race was cancelled because of the storm. The bridge closed before the flood."
    verdict = judge(text, ["The storm led to this: the race was cancelled.", "The bridge closed after the flood."])
    assert (verdict.consistent, verdict.error_type) == (False, E.OTHER_LOGIC)
