"""NamesakePostprocessor: which nodes stay for which question."""

import asyncio

import pytest

pytest.importorskip("llama_index.core")

from guardrail_llamaindex import NamesakePostprocessor, NamesakesEvent
from guardrail_llamaindex.events import dispatcher
from llama_index.core import SummaryIndex
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from tests.support.recorded_llama import RecordedLLM

SWIMMER = "Dick Hanley (born 1936) is an American former swimmer. He won a silver medal at the 1956 Olympics."
COACH = "Dick Hanley (1894 - 1970) was an American football player and coach. He coached at Northwestern."
POOL = "The pool at Northwestern was built in 1910."
PASSAGES = {
    "swimmer": ("Dick Hanley (swimmer)", SWIMMER),
    "medals": ("Dick Hanley (swimmer)", "His silver medal came in the relay."),
    "coach": ("Dick Hanley (American football)", COACH),
    "pool": ("Northwestern pool", POOL),
}
ALL = list(PASSAGES)


def kept(question, passages=None, *, run="sync"):
    found = passages or PASSAGES
    nodes = [
        NodeWithScore(node=TextNode(id_=key, text=text, metadata={"title": title} if title else {}), score=0.5)
        for key, (title, text) in found.items()
    ]
    given = NamesakePostprocessor()
    if run == "async":
        left = asyncio.run(given.apostprocess_nodes(nodes, query_str=question))
    else:
        left = given.postprocess_nodes(nodes, query_str=question)
    assert all(node.score == 0.5 for node in left)
    return [node.node.node_id for node in left]


@pytest.mark.parametrize("run", ["sync", "async"])
@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What did Dick Hanley the swimmer win?", ["swimmer", "medals", "pool"]),
        ("Which medal did the swimmer Hanley win?", ["swimmer", "medals", "pool"]),
        ("Where did Dick Hanley, the football coach, work?", ["coach", "pool"]),
        ("What did Dick Hanley (American football) do?", ["coach", "pool"]),
        ("Who was the Dick Hanley born in 1936?", ["swimmer", "medals", "pool"]),
        ("Who was Dick Hanley?", ALL),
        ("When was Hanley born?", ALL),
        ("Was Dick Hanley a swimmer or a coach?", ALL),
        ("When was the pool for the swimmer built?", ALL),
        ("What did Dick Hanley win in 1956?", ALL),
        ("Where did he swim?", ALL),
        ("What did Dick Hanley the painter paint?", ALL),
    ],
)
def test_questions(question, left, run):
    """Only a question that says whom it means loses nodes, and only those of the others of that name."""
    assert kept(question, run=run) == left


def test_untitled_passages_are_told_apart_by_their_openings():
    """Openings do where there are no titles; one that speaks of the one meant as well is kept."""
    untitled = {
        "swimmer": (None, SWIMMER),
        "coach": (None, COACH),
        "both": (None, "Dick Hanley (1894 - 1970) was a football coach, not the swimmer of that name."),
    }
    assert kept("What did Dick Hanley the swimmer win?", untitled) == ["swimmer", "both"]


def test_occupations_that_no_list_has():
    """A word that names a doer counts where a passage introduces somebody so."""
    rare = {
        "bees": (None, "Jo Hartley (born 1950) is a beekeeper from Hull."),
        "ties": (None, "Jo Hartley (born 1981) is a necktie designer and swimmer."),
    }
    assert kept("How many hives has Jo Hartley the beekeeper?", rare) == ["bees"]
    assert kept("How many hives has Jo Hartley?", rare) == ["bees", "ties"]


def test_another_word_for_the_occupation():
    """Where no word of the question is a passage's, the field of an occupation tells."""
    nash = {
        "art": ("Paul Nash (painter)", "Paul Nash (born 1889) was a British painter of landscapes."),
        "ball": ("Paul Nash (footballer)", "Paul Nash (born 1970) is a footballer for Hull."),
    }
    assert kept("Where did the artist Paul Nash live?", nash) == ["art"]


def test_two_names_are_told_apart_each_by_itself():
    """A word that fits a bearer of one name says nothing about the bearers of another."""
    both = {
        **PASSAGES,
        "art": ("Paul Nash (painter)", "Paul Nash (born 1889) was a British painter of landscapes."),
        "singer": ("Paul Nash (singer)", "Paul Nash (born 1970) is a singer from Hull."),
    }
    left = ["swimmer", "medals", "pool", "art", "singer"]
    assert kept("Did Dick Hanley the swimmer ever meet Paul Nash?", both) == left
    assert kept("Did the swimmer Hanley ever meet the painter Nash?", both) == left[:-1]


def test_passages_without_namesakes_are_untouched():
    """One individual, or none: nothing to drop, whatever the question says."""
    one = {"swimmer": PASSAGES["swimmer"], "medals": PASSAGES["medals"], "pool": PASSAGES["pool"]}
    assert kept("Where did Dick Hanley the coach work?", one) == list(one)
    assert NamesakePostprocessor().postprocess_nodes([], query_str="Who?") == []
    nodes = [NodeWithScore(node=TextNode(text=SWIMMER))]
    assert NamesakePostprocessor().postprocess_nodes(nodes) == nodes


def test_chinese():
    """Names without spaces and tags in Chinese work the same."""
    chinese = {
        "swimmer": ("李娜（游泳运动员）", "李娜，1984年生，是中国游泳运动员，曾获全国冠军。"),
        "singer": ("李娜（歌手）", "李娜，1963年生，是中国歌手，代表作有《青藏高原》。"),
    }
    assert kept("歌手李娜唱过什么？", chinese) == ["singer"]
    assert kept("李娜是谁？", chinese) == ["swimmer", "singer"]


def test_in_a_query_engine_before_generation():
    """The model never sees the namesake's passages, nodes in the store stay as they are, and an event tells."""

    class Kept(BaseEventHandler):
        events: list = []  # noqa: RUF012  a pydantic field

        def handle(self, event, **kwargs):
            if isinstance(event, NamesakesEvent):
                self.events.append((event.dropped, event.ambiguous))

    handler = Kept(events=[])
    dispatcher.add_event_handler(handler)
    try:
        model = RecordedLLM(answers={"": "Silver."})
        index = SummaryIndex(
            [TextNode(id_=key, text=text, metadata={"title": title}) for key, (title, text) in PASSAGES.items()]
        )
        engine = index.as_query_engine(llm=model, node_postprocessors=[NamesakePostprocessor()])
        response = engine.query(QueryBundle("What did Dick Hanley the swimmer win?"))
        assert [n.node.node_id for n in response.source_nodes] == ["swimmer", "medals", "pool"]
        assert "He coached" not in model.prompts[0]
        engine.query("Who was Dick Hanley?")
        engine.query("How old is the pool?")
        assert handler.events == [(["coach"], False), ([], True)]
        assert set(index.docstore.get_node("swimmer").metadata) == {"title"}
    finally:
        dispatcher.event_handlers.remove(handler)
