"""The papers' own worked examples, end to end over HTTP: what a model says is scripted, all else is real."""

import csv
import json

import pytest

from guardrail import Guard, Passage, Policy
from guardrail.check.verdicts import major, soft, strict
from guardrail.cli.main import main
from guardrail.engines.llm.engine import LLMEngine
from guardrail.engines.llm.models.openai import OpenAILLM
from guardrail.engines.llm.requests.calls import CallSettings
from guardrail.testing.openai_server import OpenAIServer
from tests.support.prompt_names import prompt_name, request_data

pytest.importorskip("openai")


def check(plan, script, answer, passages, question=None):
    """The report, and the server with its counts; ``script(name, data)`` is the model."""

    def model(body):
        return json.dumps(script(prompt_name(body), request_data(body)), ensure_ascii=False)

    with OpenAIServer(model) as server:
        llm = OpenAILLM("scripted", base_url=server.base_url, api_key="any")
        engine = LLMEngine(llm=llm, plan=plan, settings=CallSettings(max_calls=200))
        report = Guard(policy=Policy.monitor(), engine=engine).check(answer, passages, question=question)
        assert report.usage.calls == server.call_count
        return report, server


# --- L-Face4RAG, figures 1, 4 and 5 ---

CLOUD = "Amazon is the global leader in cloud services."
CLAIMED = "The reason he achieved the top position in the industry is because he has independently driven innovation."
ALONE = "The reason Amazon achieved the top position in the industry is because he has independently driven innovation."
REFERENCE = f"{CLOUD} Since achieving the top position in the industry, he has to independently drive innovation."


def amazon(name, data):
    if name == "face4rag_decompose":
        return {"segments": [{"units": [1], "part": "", "text": CLOUD}, {"units": [2], "part": "", "text": ALONE}]}
    segment = data["segment"]
    if name == "face4rag_facts":
        pairs = {
            CLOUD: [("Amazon is the global leader in cloud services", CLOUD)],
            ALONE: [
                ("Amazon achieved the top position in the industry", "achieving the top position in the industry"),
                ("he has independently driven innovation", "he has to independently drive innovation"),
                ("The reason", "Since achieving the top position in the industry"),
            ],
        }[segment["text"]]
        points = [
            {"point": point, "context": [{"document": "d1", "text": quote}], "analysis": "", "verdict": "consistent",
             "error": "none"}
            for point, quote in pairs
        ]  # fmt: skip
        return {"id": segment["id"], "points": points}
    if segment["text"] == CLOUD:
        logic = {"quotes": [], "answer_structure": "one statement", "passage_structure": "", "comparison": ""}
        return {"id": segment["id"], "logic": {**logic, "verdict": "no_relation", "error": "none"}}
    logic = {
        "quotes": [{"document": "d1", "text": REFERENCE[len(CLOUD) + 1 :]}],
        "answer_structure": "because: innovation = cause, top position = effect",
        "passage_structure": "Since: top position = cause, innovation = effect",
        "comparison": "Causal reversal.",
        "verdict": "contradicted",
        "error": "causal_confusion",
    }
    return {"id": segment["id"], "logic": logic}


def test_face4rag_finds_the_causal_reversal_that_facts_hide():
    answer = f"{CLOUD} {CLAIMED}"
    question = "Why Amazon established a leading position in cloud services?"
    report, server = check("paper:face4rag", amazon, answer, [Passage(id="ref", text=REFERENCE)], question)
    assert [(f.verdict, f.error_type) for f in report.findings] == [
        ("supported", None),
        ("contradicted", "causal_confusion"),
    ]
    assert report.findings[1].reason == "Causal reversal."
    assert report.findings[1].span.of(answer) == CLAIMED
    assert report.verdict == "contradicted"
    assert (server.call_count, report.usage.rounds) == (1 + 2 * 2, 2)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (
            "The contest was backed by China Post. Consequently, China Post is responsible for the logo's design.",
            [((1,), "", None)],
        ),
        (
            "Water keeps us alive. Cucumbers are full of it, with 95% water content.",
            [((1,), "", None), ((2,), "", "Cucumbers are full of water, with 95% water content.")],
        ),
        (
            "Vitamin C is a nutrient needed by the human body, and oranges are rich in Vitamin C.",
            [
                ((1,), "Vitamin C is a nutrient needed by the human body", None),
                ((1,), "oranges are rich in Vitamin C.", "Oranges are rich in Vitamin C."),
            ],
        ),
        ("Baking a perfect cake entails not just precise measurements but also careful timing.", [((1,), "", None)]),
    ],
)
def test_face4rag_keeps_the_segments_of_figure_4(answer, expected):
    def script(name, data):
        if name != "face4rag_decompose":
            return {}
        units = {u["unit"]: u["text"] for u in data["answer"]}
        return {
            "segments": [
                {"units": list(n), "part": part, "text": text or part or " ".join(units[each] for each in n)}
                for n, part, text in expected
            ]
        }

    report, _ = check("paper:face4rag", script, answer, ["Something else."])
    assert len(report.findings) == len(expected)
    for finding, (_, part, text) in zip(report.findings, expected, strict=True):
        assert finding.claim == (text or part or answer.split(". Cucumbers")[0].rstrip(".") + ".")
        assert not part or finding.text == part
    assert report.verdict == "unverified"  # an empty reply passes nothing


def test_guardrail_eval_measures_face4rag_with_its_own_plan(tmp_path, monkeypatch):
    """What reproduces the paper's table with a real endpoint (docs/benchmarks.md), on two rows."""
    table = tmp_path / "synthetic_dataset.csv"
    rows = [
        ("question", "ref", "answer", "id", "label", "error_type"),
        ("Why is Amazon first?", REFERENCE, f"{CLOUD} {CLAIMED}", "1", "0", "LCaus."),
        ("Who is first?", REFERENCE, CLOUD, "2", "1", ""),
    ]
    with table.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows(rows)
    figures = tmp_path / "figures.json"
    monkeypatch.setenv("OPENAI_API_KEY", "any")

    def model(body):
        name, data = prompt_name(body), request_data(body)
        said = amazon(name, data)
        if name == "face4rag_decompose":
            said = {"segments": said["segments"][: len(data["answer"])]}
        return json.dumps(said)

    with OpenAIServer(model) as server:
        options = ["--engine", "llm", "--model", "scripted", "--base-url", server.base_url, "--plan", "paper:face4rag"]
        monkeypatch.setattr("sys.argv", ["guardrail", "eval", str(table), *options, "--json", str(figures), "--quiet"])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code in (0, None)
        assert server.call_count == (1 + 2 * 2) + (1 + 2 * 1)
    (answers,) = json.loads(figures.read_text(encoding="utf-8"))["sets"][0]["levels"]
    found, alarms = (answers["figures"][name]["value"] for name in ("error_recall", "false_alarm_rate"))
    assert (found, alarms, answers["not_judged"]) == (1.0, 0.0, 0)


# --- D-FActScore, table 2 ---


def biography(facts, groups, truth):
    """A model that takes each sentence apart as ``facts`` says, and knows which titles bear out which fact."""

    def script(name, data):
        if name == "d_factscore_facts":
            return {"facts": next(made for start, made in facts.items() if data["sentence"]["text"].startswith(start))}
        if name == "d_factscore_groups":
            listed = data["facts"]
            return {
                "groups": [
                    {"name": who, "facts": [f["id"] for f in listed if f["text"] in own]} for who, own in groups.items()
                ]
            }
        title = data["documents"][0]["title"]
        return {"id": data["fact"]["id"], "verdict": "true" if data["fact"]["text"] in truth[title] else "false"}

    return script


def passages(truth):
    """One passage per individual that says what is true of it."""
    return [
        Passage(id=title, title=title, text=" ".join(facts) or "Nothing is known.") for title, facts in truth.items()
    ]


def figures(report):
    s = report.scores
    return round(100 * s.factscore), round(100 * s.d_factscore), s.n_groups, s.n_entities, s.category


STEWART = (
    "John Stewart, a Northern Irish politician born in 1983, has served as a Member of the Northern Ireland Assembly "
    "(MLA) for East Antrim since 2017. Stewart is a Unionist and previously worked in sales for Robinson's Shoemakers, a "
    "family business. Before joining politics, he attended Carrickfergus Grammar School and earned a Bachelor of Arts "
    "(BA) degree from Cardiff University."
)
STEWART_FACTS = {
    "John Stewart, a": [
        "John Stewart is Northern Irish.",
        "John Stewart is a politician.",
        "John Stewart was born in 1983.",
        "John Stewart has served as a Member of the Northern Ireland Assembly (MLA).",
        "John Stewart has served for East Antrim.",
        "John Stewart has served since 2017.",
    ],
    "Stewart is a": [
        "John Stewart is a Unionist.",
        "John Stewart previously worked in sales.",
        "John Stewart worked for Robinson's Shoemakers.",
        "Robinson's Shoemakers is a family business.",
    ],
    "Before joining": [
        "John Stewart attended Carrickfergus Grammar School before joining politics.",
        "John Stewart earned a Bachelor of Arts (BA) degree.",
        "John Stewart's degree is from Cardiff University.",
    ],
}


def all_of(facts):
    return [fact for made in facts.values() for fact in made]


def test_one_biography_of_one_entity():
    """Table 2, first row: FS 92 %, D-FS 92 %, 1 bio, 1 entity (12 of 13 facts)."""
    facts = all_of(STEWART_FACTS)
    truth = {"John Stewart (Northern Ireland politician)": facts[:-1], "John Stewart (musician)": []}
    model = biography(STEWART_FACTS, {"John Stewart": facts}, truth)
    report, server = check("paper:d-factscore", model, STEWART, passages(truth))
    assert figures(report) == (92, 92, 1, 1, "one_bio_one_entity")
    assert len(report.findings) == len(report.claims) == 13
    assert (server.call_count, report.usage.rounds) == (3 + 1 + 13 * 2, 3)


HEMMING = (
    "John Hemming (born January 5, 1935) is a British historian and explorer. Born in Vancouver to a British journalist "
    "mother, Alice Hemming OBE, John Hemming was raised in England from the age of two months. Hemming went on to study "
    "at Clapham Grammar School before earning a degree in Arithmetic and Theoretical, Atomic and Nuclear Physics at "
    "Magdalen College, Oxford."
)
HEMMING_FACTS = {
    "John Hemming (born": [
        "John Hemming was born on January 5, 1935.",
        "John Hemming is a British historian and explorer.",
    ],
    "Born in Vancouver": [
        "John Hemming was born in Vancouver.",
        "John Hemming's mother was a British journalist, Alice Hemming OBE.",
        "John Hemming was raised in England from the age of two months.",
    ],
    "Hemming went": [
        "John Hemming went on to study at Clapham Grammar School.",
        "John Hemming earned a degree in Arithmetic and Theoretical, Atomic and Nuclear Physics at Magdalen College, Oxford.",
    ],
}


def test_one_biography_of_several_entities():
    """Table 2, second row: FS 100 %, D-FS 71 %, 1 bio, 3 entities (7 facts, 5 of them of one person)."""
    facts = all_of(HEMMING_FACTS)
    truth = {
        "John Hemming (explorer)": facts[:5],
        "John Hemming (engineer)": facts[5:6],
        "John Hemming (politician)": facts[6:],
    }
    model = biography(HEMMING_FACTS, {"John Hemming": facts}, truth)
    report, _ = check("paper:d-factscore", model, HEMMING, passages(truth))
    assert figures(report) == (100, 71, 1, 3, "one_bio_n_entities")
    assert {f.text for f in report.findings if f.error_type == "mixed_entities"} <= {
        HEMMING[HEMMING.index("Hemming went") :]
    }


SMITH = (
    "Joseph F. Smith, the sixth President of The Church of Jesus Christ of Latter-day Saints, was born in 1838, and was "
    "the nephew of Joseph Smith, the founder of the Latter Day Saint movement. Additionally, Smith, who was the last "
    "president to have personally known the church's founder, led the LDS Church. Joseph F. Smith, an American "
    "politician from Pennsylvania, was also born in 1920 and served in the United States House of Representatives. After "
    "a decorated military career, Smith was elected to represent Pennsylvania during the Ninety-seventh United States "
    "Congress."
)
SMITH_FACTS = {
    "Joseph F. Smith, the": [
        "Joseph F. Smith was the sixth President of The Church of Jesus Christ of Latter-day Saints.",
        "Joseph F. Smith was born in 1838.",
        "Joseph F. Smith was the nephew of Joseph Smith.",
        "Joseph Smith was the founder of the Latter Day Saint movement.",
    ],
    "Additionally": [
        "Joseph F. Smith was the last president to have personally known the church's founder.",
        "Joseph F. Smith led the LDS Church.",
    ],
    "Joseph F. Smith, an": [
        "Joseph F. Smith was American.",
        "Joseph F. Smith was a politician.",
        "Joseph F. Smith was from Pennsylvania.",
        "Joseph F. Smith was also born in 1920.",
        "Joseph F. Smith served in the United States House of Representatives.",
    ],
    "After a decorated": [
        "Joseph F. Smith had a military career.",
        "Joseph F. Smith's military career was decorated.",
        "Joseph F. Smith was elected to represent Pennsylvania.",
        "Joseph F. Smith was elected during the Ninety-seventh United States Congress.",
    ],
}


def test_several_biographies_of_several_entities():
    """Table 2, third row: FS 87 %, D-FS 87 %, 2 bios, 2 entities (13 of 15 facts)."""
    facts = all_of(SMITH_FACTS)
    false = {"Joseph F. Smith led the LDS Church.", "Joseph F. Smith's military career was decorated."}
    truth = {
        "Joseph F. Smith": [f for f in facts[:6] if f not in false],
        "Joseph F. Smith (Pennsylvania politician)": [f for f in facts[6:] if f not in false],
    }
    groups = {"Joseph F. Smith": facts[:6], "Joseph F. Smith (politician)": facts[6:]}
    leads = (
        "(November 13, 1838 – 1918) was a religious leader",
        "(January 24, 1920 – 1999) was an American politician",
    )
    found = [
        Passage(id=p.id, title=p.title, text=f"Joseph F. Smith {lead}. {p.text}")
        for p, lead in zip(passages(truth), leads, strict=True)
    ]
    report, _ = check("paper:d-factscore", biography(SMITH_FACTS, groups, truth), SMITH, found)
    assert figures(report) == (87, 87, 2, 2, "n_bios_n_entities")


# --- RefChecker: claim triplets of its README ---

MULLIGAN = "Richard Mulligan played Mr. Kincaid on The Partridge Family."
TRIPLETS = [["Richard Mulligan", "played", "Mr. Kincaid"], ["Mr. Kincaid", "character in", "The Partridge Family"]]


def test_refchecker_labels_the_triplets_of_its_readme():
    labels = {"d1": ["Contradiction", "Entailment"], "d2": ["Neutral", "Neutral"]}

    def script(name, data):
        if name == "refchecker_triplets":
            return {"triplets": TRIPLETS}
        given = labels[data["documents"][0]["id"]]
        assert [claim["claim"] for claim in data["claims"]] == TRIPLETS
        ids = [claim["id"] for claim in data["claims"]]
        return {"labels": [{"id": ident, "label": label} for ident, label in zip(ids, given, strict=True)]}

    known = "Mr. Kincaid, a character in The Partridge Family, was played by Dave Madden."
    report, server = check("paper:refchecker", script, MULLIGAN, [known, "Richard Mulligan was born in 1932."])
    assert [c.triplet for c in report.claims] == [tuple(t) for t in TRIPLETS]
    assert [c.verdict for c in report.claims] == ["contradicted", "supported"]
    assert [[v for _, v in c.by_passage] for c in report.claims] == [["contradicted", "unsupported"], ["supported", "unsupported"]]  # fmt: skip
    assert [c.span.of(MULLIGAN) for c in report.claims] == [
        "Richard Mulligan played Mr. Kincaid",
        "Mr. Kincaid on The Partridge Family",
    ]
    assert report.claims[1].evidence[0].quote == known
    said = [c.verdict for c in report.claims]
    assert (strict(said), soft(said)[:3], major(said)) == ("contradicted", (0.5, 0.0, 0.5), "contradicted")
    assert (server.call_count, report.usage.rounds) == (1 + 2, 2)
    assert report.verdict == "contradicted"


def test_refchecker_in_chinese_asks_in_chinese():
    seen = []

    def script(name, data):
        seen.append(name)
        if name == "refchecker_triplets":
            return {"triplets": [["湖大坝", "高", "64米"]]}
        return {"labels": [{"id": claim["id"], "label": "Entailment"} for claim in data["claims"]]}

    report, _ = check("paper:refchecker", script, "湖大坝高64米。", ["湖大坝高64米，建于1958年。"])
    assert seen == ["refchecker_triplets", "refchecker_check"]
    assert [c.verdict for c in report.claims] == ["supported"]
    assert report.claims[0].evidence[0].quote
