"""The shipped Grafana dashboard: Grafana's own types read it, and every panel has data on a real Prometheus."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from guardrail.cli.main import app

ROOT = Path(__file__).parents[3]
FILES = ROOT / "guardrail" / "telemetry" / "monitor" / "files"
EXAMPLE = ROOT / "examples" / "monitoring"
RAW = json.loads((FILES / "grafana" / "guardrail.json").read_text(encoding="utf-8"))
LABELS = ("application", "policy", "engine", "model", "retriever", "index", "release", "topic")
COUNTERS = """answers decisions claims claims_unverified answers_repaired repair_attempts judge_calls judge_tokens judge_cost
cache_hits cascade_segments records"""
HISTOGRAMS = """guardrail_answer_score guardrail_answer_factscore guardrail_answer_d_factscore
guardrail_check_duration_seconds guardrail_stage_duration_seconds guardrail_stream_first_verified_seconds
gen_ai_client_operation_duration_seconds gen_ai_client_token_usage"""
METRICS = {
    "up",
    "ALERTS",
    "guardrail_answers_active",
    *(f"guardrail_{name}_total" for name in COUNTERS.split()),
    *(f"{name}_{part}" for name in HISTOGRAMS.split() for part in ("bucket", "sum", "count")),
}
SELECTOR = re.compile(r"([A-Za-z_]\w*)\{([^}]*)\}")


def load(name: str):
    """A file of the example as a module of a name of its own."""
    spec = importlib.util.spec_from_file_location(f"monitoring_{name}", EXAMPLE / "drawing" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


dashboard = load("dashboard")
BOARD = dashboard.Dashboard(RAW)
PANELS = BOARD.panels
ASKING = [p for p in PANELS if p.targets]
VARIABLES = {v["name"]: v for v in RAW["templating"]["list"]}
QUERIES = [(p.title, t["expr"]) for p in PANELS for t in p.targets]
EVENTS = [(a["name"], a["target"]["expr"]) for a in BOARD.annotations]


def lost(given, kept, path="$"):
    """What is in ``given`` and not in ``kept``: paths."""
    if isinstance(given, dict) and isinstance(kept, dict):
        return [
            p
            for key, value in given.items()
            for p in (lost(value, kept[key], f"{path}.{key}") if key in kept else [f"{path}.{key}"])
        ]
    if isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        return [p for i, value in enumerate(given) for p in lost(value, kept[i], f"{path}[{i}]")]
    return [] if given == kept else [path]


def reread(model, given):
    """What is left of JSON after Grafana's types have read and written it."""
    from grafana_foundation_sdk.cog.encoder import JSONEncoder

    return json.loads(JSONEncoder(sort_keys=True).encode(model.from_json(given)))


@pytest.fixture(scope="module")
def grafana():
    pytest.importorskip("grafana_foundation_sdk", reason="grafana-foundation-sdk (extra dev) is not installed")
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models import dashboard, prometheus

    register_default_plugins()  # panels' options and Prometheus queries have types of their own
    return {"dashboard": dashboard.Dashboard, "query": prometheus.Dataquery}


def test_grafana_types_read_all_of_it(grafana):
    without = {**RAW, "annotations": {"list": []}}

    assert lost(without, reread(grafana["dashboard"], without)) == []


def test_grafana_types_read_annotations(grafana):
    # The types have no place for what belongs to the data source: its query, and how events are made of its answer.
    own = {"target", "step", "titleFormat", "textFormat", "tagKeys", "useValueForTime"}
    for given in RAW["annotations"]["list"]:
        kept = reread(grafana["dashboard"], {**RAW, "annotations": {"list": [given]}})["annotations"]["list"][0]
        rest = {key: value for key, value in given.items() if key not in own}
        assert lost(rest, kept) == []
        if "target" in given:
            assert lost(given["target"], reread(grafana["query"], given["target"])) == []
            assert (given["expr"], given["step"]) == (given["target"]["expr"], given["target"]["interval"])
            assert own <= set(given)


def test_types_would_notice_a_typing_error(grafana):
    broken = json.loads(json.dumps({**RAW, "annotations": {"list": []}}).replace('"graphMode"', '"graphMod"'))

    assert any("graphMod" in path for path in lost(broken, reread(grafana["dashboard"], broken)))


def test_a_current_schema_and_no_ids_of_a_server():
    assert 39 <= RAW["schemaVersion"] <= 41
    assert RAW["uid"] == "guardrail-answers"
    assert not {"id", "gnetId", "__inputs", "__requires"} & set(RAW)
    assert {a["datasource"]["uid"] for a in BOARD.annotations} == {"${datasource}"}
    assert {p.raw["datasource"]["uid"] for p in ASKING} == {"${datasource}"}


def test_panels_have_an_id_and_a_place_of_their_own():
    assert len({p.id for p in PANELS}) == len(PANELS)
    taken = {}
    for panel in PANELS:
        x, y, w, h = panel.grid
        assert w > 0 < h
        assert 0 <= x <= x + w <= 24, panel.title
        for cell in ((column, line) for column in range(x, x + w) for line in range(y, y + h)):
            assert cell not in taken, f"{panel.title} lies on {taken[cell]}"
            taken[cell] = panel.title


def test_the_four_questions_come_first_and_in_order():
    rows = [p.title for p in PANELS if p.type == "row"]
    starts = [title[:5] for title in rows[:4]]
    assert starts == ["1 · H", "2 · I", "3 · W", "4 · S"]
    assert [p.grid[1] for p in PANELS if p.type == "row"] == sorted(p.grid[1] for p in PANELS if p.type == "row")


def test_each_panel_says_what_it_shows():
    for panel in PANELS:
        if panel.type != "row":
            assert len(panel.raw["description"]) > 30, panel.title


def test_every_variable_that_is_used_exists_and_the_other_way_round():
    whole = json.dumps(RAW)
    own = {"__interval", "__rate_interval", "__range", "__value", "__url_time_range", "__all"}
    used = set(re.findall(r"(?<!\\)\$\{?(\w+)", whole)) - own
    assert used == set(VARIABLES)


@pytest.mark.parametrize("name", LABELS)
def test_all_matches_services_without_the_label(name):
    variable = VARIABLES[name]
    assert variable["multi"]
    assert variable["includeAll"]
    assert variable["allValue"] == ".*"  # an absent label is an empty string
    assert variable["current"]["value"] == ["$__all"]


@pytest.mark.parametrize(("title", "expr"), QUERIES + EVENTS)
def test_queries_ask_for_metrics_of_the_contract_with_all_filters(title, expr):
    selectors = SELECTOR.findall(expr)
    assert selectors
    for metric, matchers in selectors:
        assert metric in METRICS
        names = set(re.findall(r"(\w+)=~\"\$\w+\"", matchers))
        if metric == "ALERTS":
            assert 'alertname=~"Guardrail' in matchers
        elif metric in ("up", "guardrail_records_total"):
            assert names == {"job"}
        else:
            assert names == {"job", *LABELS}


@pytest.mark.parametrize(("title", "expr"), QUERIES)
def test_rates_follow_the_scrape_interval_or_what_was_chosen(title, expr):
    wanted = {"$__rate_interval", "$__range", "$window", "$baseline"}
    assert set(re.findall(r"\[([^\]]+)\]", expr)) <= {*wanted, "1s:1s"}  # the last is a moment


def test_links_lead_to_this_dashboard():
    urls = re.findall(r'"url": "(/d/[^"]+)"', json.dumps(RAW))
    assert urls
    for url in urls:
        match = re.fullmatch(r"/d/guardrail-answers\?var-(\w+)=\$\{__value\.raw\}&.*", url)
        assert match
        assert match[1] in LABELS


def test_provisioning_names_what_the_dashboard_and_the_scrape_say():
    folder = FILES / "grafana" / "provisioning"
    source = yaml.safe_load((folder / "datasources" / "guardrail.yaml").read_text())["datasources"][0]
    scrape = yaml.safe_load((FILES / "prometheus.yml").read_text())["global"]["scrape_interval"]
    assert source["type"] == VARIABLES["datasource"]["query"] == "prometheus"
    assert source["jsonData"]["timeInterval"] == scrape
    link = source["jsonData"]["exemplarTraceIdDestinations"][0]
    assert link["url"] == VARIABLES["trace_url"]["query"] + "$${__value.raw}"  # $$: Grafana reads ${X} as environment
    provider = yaml.safe_load((folder / "dashboards" / "guardrail.yaml").read_text())["providers"][0]
    assert provider["type"] == "file"


def test_variables_are_filled_in_as_grafana_does():
    values = {"by": ("retriever", "model"), "release": ("v7", "v8"), "window": ("5m",)}

    filled = dashboard.substitute('sum by (${by:csv}) (x{release=~"$release"}[$window])', values)

    assert filled == 'sum by (retriever,model) (x{release=~"(v7|v8)"}[5m])'
    with pytest.raises(KeyError, match="index"):
        dashboard.substitute("$index", values)


@pytest.mark.parametrize(
    ("up", "answers", "counted"),
    [
        pytest.param("1+0x40", "_x10 1+0x30", 1, id="new series of a known target"),
        pytest.param("1+0x40", "0+1x40", 20, id="old series"),
        pytest.param("_x10 1+0x30", "_x10 7+0x30", 0, id="new to this Prometheus"),
        pytest.param("1+0x5 0+0x4 1+0x30", "7+0x5 _x5 7+0x30", 0, id="not reached for a while"),
        pytest.param("1+0x40", "500+0x10 stale", 0, id="gone with a restart: the old release"),
        pytest.param("1+0x40", "500+0x5 stale _x5 1+0x30", 1, id="gone with a restart, and there again"),
        pytest.param(None, "_x10 1+0x30", 0, id="by a collector, without up"),
        pytest.param(None, "0+1x40", 20, id="old series by a collector"),
    ],
)
def test_new_series_count_from_zero_where_that_is_known(up, answers, counted, promtool, tmp_path):
    series = {'guardrail_answers_total{WHERE,verdict="unsupported"}': answers} | ({"up{WHERE}": up} if up else {})
    assert_value("Unfaithful answers, last $window", series, counted, promtool, tmp_path)


RISING, NEW, ENDED = "0+1x40", "_x4 1x36", "0+1x12 stale"


@pytest.mark.parametrize(
    ("answers", "decisions", "counted"),
    [
        pytest.param({"a,none": RISING}, {}, 20, id="only checked"),
        pytest.param(
            {"a,none": RISING}, {"a,flag": "0+0.5x40", "a,block": "0+0.5x40"}, 10, id="half of them flagged later"
        ),
        pytest.param({"a,none": RISING}, {"b,block": RISING}, 20, id="another application blocks"),
        pytest.param({"a,none": NEW}, {"a,block": NEW}, 0, id="the first one, blocked later"),
        pytest.param({"a,none": ENDED}, {"a,block": ENDED}, 0, id="blocked later, by an instance that has gone"),
        pytest.param({"a,none": NEW}, {"a,flag": NEW}, 1, id="the first one, flagged later"),
        pytest.param({"a,flag": RISING}, {}, 20, id="flagged at once"),
        pytest.param({"a,block": RISING}, {}, 0, id="blocked at once"),
        pytest.param({"a,flag": RISING}, {"a,block": RISING}, 20, id="flagged and delivered; what if it were blocked?"),
    ],
)
def test_delivered_is_what_nothing_stopped(answers, decisions, counted, promtool, tmp_path):
    series = {"up{WHERE}": "1+0x40"}
    for metric, found in (("answers", answers), ("decisions", decisions)):
        for key, values in found.items():
            labels = 'verdict="unsupported",application="{}",action="{}"'.format(*key.split(","))
            series[f"guardrail_{metric}_total{{WHERE,{labels}}}"] = values
    assert_value("Unfaithful and not stopped, last $window", series, counted, promtool, tmp_path)


def assert_value(title, series, value, promtool, folder):
    """What the query of a panel gives after five minutes of these series."""
    expr = next(e for name, e in QUERIES if name == title)
    chosen = {**dict.fromkeys(LABELS, (".*",)), "job": ("guardrail",), "window": ("5m",)}
    asked = {"expr": dashboard.substitute(expr, chosen), "eval_time": "5m"}
    asked["exp_samples"] = [{"labels": "{}", "value": value}]
    where = 'job="guardrail",instance="a"'
    inputs = [{"series": name.replace("WHERE", where), "values": values} for name, values in series.items()]
    tests = {"tests": [{"interval": "15s", "input_series": inputs, "promql_expr_test": [asked]}]}
    (folder / "tests.yml").write_text(yaml.safe_dump(tests))
    promtool("test", "rules", folder / "tests.yml")


@pytest.fixture(scope="module")
def traffic(free_port, tmp_path_factory):
    """A process with real guards that answer over and over: the port of its metrics and its record store."""
    pytest.importorskip("opentelemetry.exporter.prometheus", reason="the extra monitoring is not installed")
    pytest.importorskip("openai", reason="the extra openai is not installed")
    folder, port = tmp_path_factory.mktemp("traffic"), free_port()
    store, errors = folder / "records.db", folder / "errors"
    command = [sys.executable, Path(__file__).with_name("guarded_traffic.py"), str(port), store]
    with (
        errors.open("w") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT) as process,
    ):
        try:
            assert process.stdout.readline() == "ready\n", errors.read_text()[-2000:]
            yield port, store
        finally:
            process.kill()


@pytest.fixture(scope="module")
def watched(traffic, prometheus, free_port, tmp_path_factory):
    """A Prometheus with the shipped rules that has scraped the traffic ten times, and another target in vain."""
    folder, targets = tmp_path_factory.mktemp("watched"), [f"127.0.0.1:{port}" for port in (traffic[0], free_port())]
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(path) for path in FILES.glob("guardrail.*.yml") if ".test." not in path.name],
        "scrape_configs": [{"job_name": "guardrail", "static_configs": [{"targets": targets}]}],
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    server = prometheus(folder)
    scraped = 'count_over_time(guardrail_answers_active{engine="cascade"}[1m]) >= 10'
    server.wait(lambda: server.query(scraped), seconds=60, what="ten scrapes")
    return server


@pytest.fixture(scope="module")
def asked(watched):
    """Callable: what a target gives over the last seconds, with variables as chosen."""
    api = dashboard.Prometheus(watched.url)
    now = time.time()
    window = dashboard.Window(now - 8, now, scrape=1)

    def ask(target, *, until=None, **chosen):
        values = BOARD.values(api, {"window": "5s", "baseline": "1h", **chosen})
        over = window if until is None else replace(window, start=until - 8, end=until)
        return dashboard.ask(api, target, values, over)

    return ask


@pytest.mark.parametrize("panel", ASKING, ids=lambda p: f"{p.id}-{p.title}")
def test_every_query_of_the_panel_has_data(panel, asked):
    for target in panel.targets:
        series = asked(target)
        assert series, f"{panel.title} {target['refId']} has no data"
        for one in series:
            assert not any(name.startswith("otel_") for name in one.labels), "not aggregated"
            assert all(math.isfinite(value) for _, value in one.points), f"{one.name}: {one.points}"


@pytest.mark.parametrize(
    "annotation", [a for a in BOARD.annotations if "alert" not in a["name"].lower()], ids=lambda a: a["name"]
)
def test_annotations_mark_what_is_new(annotation, asked):
    marks = asked(annotation["target"])
    assert [set(mark.labels) for mark in marks] == [{annotation["tagKeys"]}]
    assert set(marks[0].labels.values()) <= {"v7", "monday"}


def test_several_values_and_odd_ones_give_queries_that_prometheus_understands(asked):
    odd = dict.fromkeys(LABELS, ("a.b", "c|d\\", "["))
    for target in [t for p in ASKING for t in p.targets] + [a["target"] for a in BOARD.annotations]:
        asked(target, by=("topic", "release", "engine"), topic=("dams", "people"))
        asked(target, **odd)


def test_nobody_asks_and_no_panel_shows_nan(asked):
    for panel in ASKING:
        for target in panel.targets:
            series = asked(target, application="nobody")
            assert not [s for s in series for _, value in s.points if not math.isfinite(value)], panel.title


@pytest.fixture
def rounds_ended(traffic, watched):
    """The moment at which Prometheus has scraped nothing but whole rounds of the traffic."""
    rest, resting = (traffic[1].with_name(name) for name in ("rest", "resting"))
    rest.touch()
    try:
        watched.wait(resting.exists, seconds=90, what="the end of a round")
        ended = time.time()
        scraped = "min(timestamp(guardrail_answers_total))"
        watched.wait(lambda: watched.value(scraped) > ended, what="a scrape after it")
        yield time.time()
    finally:
        rest.unlink()
        resting.unlink(missing_ok=True)


def test_numbers_are_those_of_the_traffic(asked, rounds_ended):
    stats = {p.title: p.targets[0] for p in ASKING if p.type == "stat"}

    def shown(title):
        return asked(stats[title], window="1h", until=rounds_ended)[0].points[-1][1]

    # Each round: 10 answers, of which 5 of 8 judged ones are unfaithful (one is only flagged), and 2 are unverified.
    assert shown("Unfaithful share, last $window") == pytest.approx(5 / 8, abs=0.08)
    assert shown("Unverified, last $window") == pytest.approx(2 / 10, abs=0.05)
    not_stopped = shown("Unfaithful and not stopped, last $window") / shown("Unfaithful answers, last $window")
    assert not_stopped == pytest.approx(1 / 5, abs=0.06)
    assert shown("Guards up") == 0.5
    assert shown("Releases and indexes live") == 1


def test_the_first_of_its_kind_counts(asked, watched, traffic):
    shown = {p.title: p.targets for p in ASKING}
    once = {"topic": "once", "window": "1m"}
    traffic[1].with_name("once").touch()
    seen = 'increase(guardrail_answers_total{topic="once"}[1m])'  # it takes two scrapes
    watched.wait(lambda: watched.query(seen), what="one answer")

    def value(title):
        return asked(shown[title][0], until=time.time(), **once)[0].points[-1][1]

    assert watched.value(seen) == 0
    assert value("Unfaithful answers, last $window") == 1
    assert value("Unfaithful share, last $window") == 1


def test_commands_that_show_the_evidence_do(watched, traffic):
    content = next(p.raw["options"]["content"] for p in PANELS if p.type == "text")
    commands = re.findall(r"^guardrail (.+)$", content, re.MULTILINE)
    assert len(commands) == 2
    for command, shown in zip(commands, ("46 metres", "silver medal"), strict=True):
        given = command.replace("STORE", str(traffic[1])).replace("bm25", "dense").split()
        done = CliRunner().invoke(app, given)
        assert done.exit_code == 0, done.output
        assert shown in done.output


def test_panels_draws_the_dashboard(watched, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib, which only this example needs, is not installed")
    from PIL import Image

    out = tmp_path / "board.png"
    command = [sys.executable, EXAMPLE / "panels.py", "--prometheus", watched.url, "--out", out, "--since", "20s"]
    done = subprocess.run(
        [*command, "--set", "window=5s"], capture_output=True, text=True, timeout=90, cwd=ROOT, check=False
    )

    assert done.returncode == 0, done.stderr
    with Image.open(out) as picture:
        assert picture.size[0] == 1800
    assert 50_000 < out.stat().st_size < 400_000
