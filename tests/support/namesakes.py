"""Passages of namesakes and of ordinary subjects, and answers over them."""

from __future__ import annotations

from hypothesis import strategies as st

from guardrail.check.entities import cluster, group, link, mixed
from guardrail.types import Passage, Segment, Span, SupportMatrix


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

MIXED = [
    "Dick Hanley was an American football coach, born on November 19, 1894.",
    "He coached Northwestern from 1927 to 1934.",
    "He won silver in the relay at Melbourne in 1956.",
]

WORDS = st.sampled_from(
    "Dick Richard Hanley Clark Clarke (swimmer) (born 1936) (1894–1970) was is a an coach swimmer Another 陆文启 另有一位 （画家） 是 1936 He also , . 1. [1] Jr. II of".split()
)
TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=30))
PASSAGES = st.lists(st.builds(Passage, text=TEXTS, title=st.one_of(st.none(), TEXTS)), max_size=7)
