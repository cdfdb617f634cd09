"""Namesakes: clustering, grouping, linking, mixing."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.check.entities import cluster, group, link, mixed
from guardrail.types import Cell, Passage, Row, Segment, Span, SupportMatrix


def pages(*rows):
    return [Passage(id=f"p{n}", title=title, text=text) for n, (title, text) in enumerate(rows)]


def pieces(*texts):
    """An answer made of the texts, and one segment for each."""
    answer, segments = "", []
    for n, text in enumerate(texts):
        segments.append(Segment(id=f"s{n}", span=Span(len(answer), len(answer) + len(text)), text=text))
        answer += text + ("" if text.endswith("。") else " ")
    return answer, segments


def analyse(passages, texts, rows=()):
    answer, segments = pieces(*texts)
    entities = cluster(passages)
    matrix = SupportMatrix(rows=tuple(rows))
    groups = link(group(segments, answer, entities), entities, matrix, segments, passages)
    return entities, groups, mixed(groups, entities, matrix, segments, passages)


COACH = "Dick Hanley (November 19, 1894 – December 16, 1970) was an American football coach. He coached Northwestern from 1927 to 1934."
SWIMMER = (
    "Dick Hanley (born May 12, 1936) is an American former swimmer who won silver in the relay at Melbourne in 1956."
)
HANLEYS = pages(("Dick Hanley (American football)", COACH), ("Dick Hanley (swimmer)", SWIMMER))
LU = pages(
    ("陆文启（水文站长）", "陆文启，1931年出生，是青岩水文站站长，1958年起在青岩水文站记录水位，1987年退休。"),
    ("陆文启（画家）", "陆文启，1962年出生，是山水画家，1990年在临溪镇举办个人画展，作品由省美术馆收藏。"),
)

NAMESAKES = {
    "titles": HANLEYS,
    "chinese titles": LU,
    "birth years in titles": pages(
        ("Mattia Alto (footballer, born 1983)", "Mattia Alto is a striker."),
        ("Mattia Alto (footballer, born 1995)", "Mattia Alto plays."),
    ),
    "life years in titles": pages(("György Major (1818–1883)", "A judge."), ("György Major (1786–1861)", "A judge.")),
    "no titles": pages((None, COACH), (None, SWIMMER)),
    "no titles, full name": pages((None, COACH), (None, SWIMMER.replace("Dick Hanley", "Richard Edward Hanley"))),
    "equal titles, birth years": pages(("Dick Hanley", COACH), ("Dick Hanley", SWIMMER)),
    "plain title and tag, birth years": pages(
        ("Ken Harris", "Captain Ken Harris (1898 – 1982) was an animator."),
        ("Ken Harris (politician)", "Ken Harris (July 17, 1963 – 2008) was a mayor."),
    ),
    "occupations in titles": pages(("Jo Cook (cricketer)", "He bats."), ("Jo Cook (American football)", "He throws.")),
    "nations in titles": pages(("Jo Cook (Irish politician)", "She won."), ("Jo Cook (Ohio politician)", "She lost.")),
    "titled another": pages(("Jo Cook", "Jo Cook is a nurse."), ("Jo Cook", "Another Jo Cook is a nurse in Hull.")),
    "things": pages(
        ("Python (programming language)", "Python is a programming language."),
        ("Python (genus)", "Python is a genus of snakes."),
    ),
    "short form": pages(
        ("Jeff Cook (footballer)", "Jeff Cook (born 1953) is a footballer."),
        ("Jeffrey Cook (officer)", "Jeffrey Cook, born 1954."),
    ),
    "spelling": pages(("Jeff Clarke (footballer)", "Born in Hull."), ("Jeff Clark (designer)", "He designs books.")),
    "peers": pages(
        ("William Byron, 3rd Baron Byron", "William Byron was a nobleman."),
        ("William Byron, 4th Baron Byron", "William Byron was a peer."),
    ),
    "another": pages((None, "Li Marsh was a teacher in Hull."), (None, "Another Li Marsh was a teacher in Leeds.")),
    "chinese, no titles": pages(
        (None, "陆文启（1931年—2001年）是水文站站长，长期记录水位。"),
        (None, "另有一位陆文启（1962年—）是山水画家，住在临溪镇。"),
    ),
}

ORDINARY = {
    "one document in parts": pages(
        ("Parental Leave (part 1)", "18 weeks."), ("Parental Leave (part 2)", "Three blocks.")
    ),
    "continued": pages(("Parental Leave", "18 weeks."), ("Parental Leave (continued)", "Three blocks.")),
    "editions": pages(("Staff Handbook (2022 edition)", "20 days."), ("Staff Handbook (2023 edition)", "25 days.")),
    "versions": pages(("Knot CLI (v1)", "Knot is a tool."), ("Knot CLI (v2)", "Knot is a tool.")),
    "pages": pages(("Annual Report (page 3)", "Sales rose."), ("Annual Report (page 4)", "Costs fell.")),
    "topics of one firm": pages(
        ("Larkfield: parental leave", "18 weeks."), ("Larkfield: returning to work", "80 percent.")
    ),
    "city and treaty": pages(
        ("Paris", "Paris is the capital of France."), ("Paris Agreement", "The Paris Agreement is a treaty.")
    ),
    "firm and its products": pages(
        ("Apple Inc.", "Apple Inc. is a company."), ("Apple Inc. products", "Phones and laptops.")
    ),
    "models": pages(("iPhone 12", "The iPhone 12 is a phone."), ("iPhone 13", "The iPhone 13 is a phone.")),
    "one person, two occupations": pages(
        (None, "Ann Reed is a British cellist and composer."), (None, "Ann Reed is a senator from Ohio.")
    ),
    "one person, longer name": pages(
        (None, "Ann Reed is a British cellist."), (None, "Ann Dorothea Reed is a senator from Ohio.")
    ),
    "one title, two occupations": pages(
        ("Angela Merkel", "Angela Merkel is a German politician who served as chancellor."),
        ("Angela Merkel", "Angela Merkel is a chemist by training and was a research chemist in Berlin until 1990."),
    ),
    "actress and inventor": pages(
        ("Hedy Lamarr", "Hedy Lamarr was an actress."), ("Hedy Lamarr", "Hedy Lamarr was an inventor.")
    ),
    "one tag only": pages(
        ("Hedy Lamarr", "Hedy Lamarr was an actress."), ("Hedy Lamarr (inventor)", "Hedy Lamarr was an inventor.")
    ),
    "topics in tags": pages(
        ("Larkmoor Dam (history)", "Built in 1910."), ("Larkmoor Dam (visitor information)", "Open daily.")
    ),
    "kind and guide": pages(
        ("Python (programming language)", "Python is a language."), ("Python (library guide)", "Python has a library.")
    ),
    "documents in tags": pages(
        ("Jo Cook (resume)", "Jo Cook is an engineer."), ("Jo Cook (reference letter)", "Jo Cook is a teacher.")
    ),
    "kind and topic": pages(("Jo Cook (politician)", "Jo Cook is a mayor."), ("Jo Cook (early life)", "Jo Cook swam.")),
    "lists": pages(("Jo Cook (checklist)", "Shoes."), ("Jo Cook (playlist)", "Songs.")),
    "novel and film": pages(
        ("Dune (novel)", "Dune is a novel."), ("Dune (film)", "Dune is a film based on the novel.")
    ),
    "groups of staff": pages(("Parental Leave (nurses)", "18 weeks."), ("Parental Leave (teachers)", "10 weeks.")),
    "terms, not lives": pages(
        ("Travel Policy", "Travel Policy (2019–2021) was a policy."),
        ("Travel Policy", "Travel Policy (2022–2024) is a policy."),
    ),
    "chinese years": pages(("年度报告（2019年）", "收入上升。"), ("年度报告（2020年）", "收入下降。")),
    "chinese documents": pages(("陆文启（简历）", "陆文启是画家。"), ("陆文启（推荐信）", "陆文启是教师。")),
    "chinese, two occupations": pages(("陆文启", "陆文启是画家。"), ("陆文启", "陆文启是教师。")),
    "same title": pages(("Marie Curie", "Marie Curie was a physicist."), ("Marie Curie", "She won two prizes.")),
    "one person, two fields of science": pages(
        (None, "Marie Curie was a physicist."), (None, "Marie Curie was a chemist.")
    ),
    "one person, two occupations told": pages(
        (None, "Arno Berg is an actor who became governor."), (None, "Arno Berg is a governor and former actor.")
    ),
    "relatives": pages(
        ("Mattia Alto", "Mattia Alto (born 1983) is a striker."), ("Aldo Alto", "Aldo Alto (born 1955) was a striker.")
    ),
    "one birth year": pages(
        ("Paul Ash", "Paul Ash (born 1889) was a painter."), ("Paul R. Ash", "Paul R. Ash (born 1889) was a painter.")
    ),
    "sibling names": pages(
        ("Victor Cruz", "Victor Cruz (born 1986) is a player."),
        ("Victoria Cruz", "Victoria Cruz (born 1946) is an activist."),
    ),
    "city and newspaper": pages(
        ("New York", "New York is a city."), ("New York Times", "The New York Times is a newspaper.")
    ),
    "universities": pages(("University of Leeds", "A university."), ("University of Hull", "A university.")),
    "banks": pages(
        ("Bank of America", "Bank of America is a bank."), ("Bank of England", "The Bank of England is a bank.")
    ),
    "departments": pages(("Travel Policy (HR)", "Book early."), ("Travel Policy (Finance)", "Keep receipts.")),
    "untitled": pages((None, "The leave is 18 weeks long."), (None, "Requests go to the manager.")),
    "staff page": pages(
        ("Team", "Anna Berg (born 1980) is an engineer."), ("Team", "Carl Vogt (born 1975) is a lawyer.")
    ),
    "chinese parts": pages(("年假制度（上）", "年假为十五天。"), ("年假制度（下）", "年假须提前申请。")),
    "chinese topics": pages(("米悦X3：使用方法", "按下开关。"), ("米悦X3：清洁与保修", "保修两年。")),
    "chinese untitled": pages((None, "公司年假为十五天。"), (None, "员工是公司的财富，公司为员工提供培训。")),
}


@pytest.mark.parametrize("name", NAMESAKES)
def test_namesakes_are_told_apart(name):
    """Different individuals of one name are two entities that share it."""
    entities = cluster(NAMESAKES[name])
    assert [entity.shares_name for entity in entities] == [True, True]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_passages_share_no_name(name):
    """Documents about one subject, or about subjects with other names, are not namesakes."""
    assert not any(entity.shares_name for entity in cluster(ORDINARY[name]))


def test_same_title_is_one_individual():
    """Chunks of one page stay together, also those that do not introduce anybody."""
    passages = pages(
        *((page.title, page.text) for page in HANLEYS), ("Dick Hanley (swimmer)", "In 1957 he moved to Ohio.")
    )
    assert [entity.passages for entity in cluster(passages)] == [(0,), (1, 2)]


def test_namesakes_under_one_title_get_titles_that_differ():
    """A Mix between the two must name them so that a reader sees which is which."""
    assert [one.title for one in cluster(NAMESAKES["equal titles, birth years"])] == [
        "Dick Hanley (born 1894)",
        "Dick Hanley (born 1936)",
    ]
    assert [one.title for one in cluster(NAMESAKES["chinese, no titles"])] == [
        "陆文启（1931年生）",
        "陆文启（1962年生）",
    ]
    assert [one.title for one in cluster(NAMESAKES["titled another"])] == ["Jo Cook", "Jo Cook (another)"]
    _, _, mixes = analyse(NAMESAKES["equal titles, birth years"], MIXED)
    assert [(mix.linked.title, mix.other.title) for mix in mixes] == [
        ("Dick Hanley (born 1894)", "Dick Hanley (born 1936)")
    ]


def test_undated_passages_stay_with_the_one_who_is_dated():
    """Only the passage that says "another" is of somebody else."""
    found = cluster(
        pages(
            ("Jo Cook", "Jo Cook (born 1954) is a politician."),
            ("Jo Cook", "Jo Cook is a chemist."),
            ("Jo Cook", "Another Jo Cook is a nurse."),
        )
    )
    assert [one.passages for one in found] == [(0, 1), (2,)]


def test_a_true_answer_about_one_person_is_not_mixed():
    """Two passages of one title and two occupations are no namesakes."""
    texts = ["Angela Merkel is a German politician.", "She was a research chemist in Berlin until 1990."]
    assert analyse(ORDINARY["one title, two occupations"], texts)[2] == ()


@pytest.mark.parametrize("pronoun", ["他", "她", "它", "其"])
def test_chinese_answers_may_begin_with_a_pronoun(pronoun):
    """Running Chinese has no blank after the pronoun; "其他" is none."""
    answer, segments = pieces(f"{pronoun}曾任水文站站长。")
    assert group(segments, answer, cluster(LU))[0].name == "陆文启"
    answer, segments = pieces("其他人员也在水文站工作。")
    assert group(segments, answer, cluster(LU))[0].name == ""


GROUPING = {
    "another": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Another Dick Hanley was a swimmer.", "He swam in Melbourne."],
        [0, 1, 1],
    ),
    "also named": (
        HANLEYS,
        ["Dick Hanley was a coach.", "There is also a swimmer named Dick Hanley.", "He swam."],
        [0, 1, 1],
    ),
    "ordinals": (
        HANLEYS,
        ["There are two people named Dick Hanley.", "The first is a coach.", "The second is a swimmer.", "He swam."],
        [0, 1, 2, 2],
    ),
    "tags": (
        HANLEYS,
        ["Dick Hanley (American football) was a coach.", "Dick Hanley (swimmer) swam.", "He won silver."],
        [0, 1, 1],
    ),
    "own birth date": (
        HANLEYS,
        ["Dick Hanley (born 1894) was a coach.", "He won.", "Dick Hanley (born 1936) was a coach too.", "Hanley swam."],
        [0, 0, 1, 1],
    ),
    "own description": (
        HANLEYS,
        ["Dick Hanley was a football coach.", "Dick Hanley was an American swimmer.", "He won."],
        [0, 1, 1],
    ),
    "list": (HANLEYS, ["1. Dick Hanley: a coach.", "He won.", "2. Dick Hanley: he swam.", "He lost."], [0, 0, 1, 1]),
    "pronouns go on": (
        HANLEYS,
        ["Dick Hanley was a coach.", "He was born in 1894.", "He was born in 1936."],
        [0, 0, 0],
    ),
    "surname and also go on": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Hanley also swam.", "In addition to coaching, Dick Hanley is also a swimmer."],
        [0, 0, 0],
    ),
    "another prize is no person": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Another achievement was his silver.", "One of his pupils won."],
        [0, 0, 0],
    ),
    "return by tag": (
        HANLEYS,
        ["Dick Hanley (coach) won.", "Dick Hanley (swimmer) swam.", "Dick Hanley (coach) retired."],
        [0, 1, 0],
    ),
    "chinese another": (
        LU,
        ["陆文启是水文站站长。", "他记录水位。", "另一位陆文启是画家。", "他举办画展。"],
        [0, 0, 1, 1],
    ),
    "chinese also one": (LU, ["陆文启是水文站站长。", "另有一位同名的画家。"], [0, 1]),
    "chinese goes on": (LU, ["陆文启是水文站站长。", "他还是一名画家。", "陆文启1987年退休。"], [0, 0, 0]),
    "ordinary": (ORDINARY["topics of one firm"], ["Leave is 18 weeks.", "Another policy is flexible hours."], [0, 0]),
}


@pytest.mark.parametrize("name", GROUPING)
def test_groups_follow_the_reader(name):
    """A new individual begins where a reader without prior knowledge sees one."""
    passages, texts, expected = GROUPING[name]
    answer, segments = pieces(*texts)
    groups = group(segments, answer, cluster(passages))
    of = {segment: n for n, one in enumerate(groups) for segment in one.segments}
    assert [of[segment.id] for segment in segments] == expected


def test_replaced_pronoun_is_no_introduction():
    """The answer's own words decide, not the stand-alone text that has the name in place of a pronoun."""
    answer = "Dick Hanley was a coach. He was a swimmer."
    segments = [
        Segment(id="a", span=Span(0, 24), text=answer[:24]),
        Segment(id="b", span=Span(25, 42), text="Dick Hanley was a swimmer."),
    ]
    assert len(group(segments, answer, cluster(HANLEYS))) == 1


def test_skipped_segments_are_read_but_not_grouped():
    """A skipped announcement still prepares for "the second"; it is in no group itself."""
    answer, segments = pieces("There are two people named Dick Hanley.", "One is a coach.", "The other is a swimmer.")
    skipped = Segment(id="s0", span=segments[0].span, text=segments[0].text, skipped="meta")
    groups = group([skipped, *segments[1:]], answer, cluster(HANLEYS))
    assert [one.segments for one in groups] == [("s1",), ("s2",)]


LINKS = {
    "by date": (HANLEYS, ["Dick Hanley was born on May 12, 1936."], ["Dick Hanley (swimmer)"]),
    "by rare words": (HANLEYS, ["Dick Hanley worked at Northwestern."], ["Dick Hanley (American football)"]),
    "by tag": (HANLEYS, ["Dick Hanley (swimmer) lived in Ohio."], ["Dick Hanley (swimmer)"]),
    "each its own": (
        HANLEYS,
        ["Dick Hanley was a football coach.", "Another Dick Hanley won silver in Melbourne."],
        ["Dick Hanley (American football)", "Dick Hanley (swimmer)"],
    ),
    "tie": (HANLEYS, ["Dick Hanley liked cheese."], ["Dick Hanley (American football)"]),
    "chinese": (LU, ["陆文启1990年举办了个人画展。"], ["陆文启（画家）"]),
    "ordinary": (ORDINARY["same title"], ["Marie Curie won two prizes."], [None]),
    "other subject": (HANLEYS, ["Melbourne hosted the games in 1956."], [None]),
}


@pytest.mark.parametrize("name", LINKS)
def test_link(name):
    """Groups go to the namesake that bears them out; other groups go to nobody."""
    passages, texts, expected = LINKS[name]
    _, groups, _ = analyse(passages, texts)
    assert [one.entity.title if one.entity else None for one in groups] == expected


def test_cells_count_in_linking():
    """Where words are silent the matrix decides."""
    row = Row(segment_id="s0", cells=(Cell(supported=0.1, contradicted=0.0), Cell(supported=0.9, contradicted=0.0)))
    _, groups, _ = analyse(HANLEYS, ["Dick Hanley liked water."], [row])
    assert groups[0].entity is not None
    assert groups[0].entity.title == "Dick Hanley (swimmer)"


MIXED = [
    "Dick Hanley was an American football coach, born on November 19, 1894.",
    "He coached Northwestern from 1927 to 1934.",
    "He won silver in the relay at Melbourne in 1956.",
]


def test_mixed_is_found():
    """A namesake's fact in a group is a Mix that names both."""
    _, groups, mixes = analyse(HANLEYS, MIXED)
    assert len(groups) == 1
    assert [(mix.segment_id, mix.linked.title, mix.other.title) for mix in mixes] == [
        ("s2", "Dick Hanley (American football)", "Dick Hanley (swimmer)")
    ]
    assert 0 < mixes[0].margin <= 1


def test_mixed_is_found_in_chinese():
    """The same with characters for words."""
    _, _, mixes = analyse(
        LU,
        [
            "陆文启1931年出生，是青岩水文站站长。",
            "他1958年起在青岩水文站记录水位，1987年退休。",
            "他1990年在临溪镇举办个人画展。",
        ],
    )
    assert [mix.segment_id for mix in mixes] == ["s2"]


@pytest.mark.parametrize(("ours", "theirs", "fires"), [(0.9, 0.9, False), (0.1, 0.2, False), (0.1, 0.9, True)])
def test_read_cells_can_veto_a_mix(ours, theirs, fires):
    """Words alone do not make a mix where the model has read and says otherwise."""
    row = Row(segment_id="s2", cells=(Cell(supported=ours, contradicted=0.0), Cell(supported=theirs, contradicted=0.0)))
    assert bool(analyse(HANLEYS, MIXED, [row])[2]) is fires


@pytest.mark.parametrize(
    "texts",
    [
        [
            "Dick Hanley was an American football coach.",
            "Another Dick Hanley won silver in the relay at Melbourne in 1956.",
        ],
        ["There are two people named Dick Hanley, a football coach and a swimmer.", "Which one do you mean?"],
        ["Dick Hanley won silver in the relay at Melbourne in 1956.", "He was happy."],
    ],
)
def test_right_answers_are_not_mixed(texts):
    """Answers that keep namesakes apart give no Mix."""
    assert analyse(HANLEYS, texts)[2] == ()


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_answers_are_never_linked_or_mixed(name):
    """Without namesakes there is one group, no entity, no Mix, whatever the answer takes from where."""
    passages = ORDINARY[name]
    entities, groups, mixes = analyse(passages, [page.text for page in passages])
    assert not any(one.entity for one in groups)
    assert len(groups) == 1
    assert mixes == ()
    assert entities


WORDS = st.sampled_from(
    "Dick Richard Hanley Clark Clarke (swimmer) (born 1936) (1894–1970) was is a an coach swimmer Another 陆文启 另有一位 （画家） 是 1936 He also , . 1. [1] Jr. II of".split()
)
TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=30))
PASSAGES = st.lists(st.builds(Passage, text=TEXTS, title=st.one_of(st.none(), TEXTS)), max_size=7)


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.lists(TEXTS, max_size=7), st.randoms(use_true_random=False))
def test_any_input(passages, texts, dice):
    """Nothing raises; passages and checked segments are each in exactly one place; linking keeps the groups."""
    answer, segments = pieces(*texts)
    segments = [s if dice.random() < 0.8 else Segment(id=s.id, span=s.span, text=s.text, skipped="x") for s in segments]
    entities = cluster(passages)
    assert sorted(n for entity in entities for n in entity.passages) == list(range(len(passages)))
    groups = group(segments, answer, entities)
    assert sorted(s for one in groups for s in one.segments) == sorted(s.id for s in segments if s.skipped is None)
    cell = Cell(supported=0.7, contradicted=0.1)
    rows = tuple(
        Row(segment_id=s.id, cells=tuple(cell if dice.random() < 0.5 else None for _ in passages)) for s in segments
    )
    linked = link(groups, entities, SupportMatrix(rows=rows), segments, passages)
    assert [one.segments for one in linked] == [one.segments for one in groups]
    assert all(one.entity is None or one.entity.shares_name for one in linked)
    for mix in mixed(linked, entities, SupportMatrix(rows=rows), segments, passages):
        assert mix.linked.shares_name
        assert mix.other.shares_name
        assert mix.linked != mix.other


@settings(max_examples=150, deadline=None)
@given(PASSAGES, st.randoms(use_true_random=False))
def test_order_of_passages_does_not_matter(passages, dice):
    """Shuffled passages give the same sets, and the same of them share names."""
    order = list(range(len(passages)))
    dice.shuffle(order)
    shuffled = cluster([passages[n] for n in order])
    found = {(frozenset(entity.passages), entity.shares_name) for entity in cluster(passages)}
    assert {(frozenset(order[n] for n in entity.passages), entity.shares_name) for entity in shuffled} == found


def test_two_thousand_passages_take_less_than_a_second():
    """Half of them one name's, which is the worst case for comparing."""
    dice = random.Random(7)
    rows = [
        (f"Dick Hanley (born {1000 + n})", f"Dick Hanley (born {1000 + n}) is a swimmer. " + "He swam far. " * 30)
        for n in range(500)
    ]
    rows += [(None, f"Ann Reed (born {1500 + n % 400}) is a teacher. " + "She taught. " * 40) for n in range(500)]
    rows += [(f"Topic {n}: {dice.random()}", "The leave is 18 weeks long and paid in full. " * 10) for n in range(1000)]
    start = time.process_time()
    entities = cluster(pages(*rows))
    assert time.process_time() - start < 1.0
    assert len(entities) > 1000
