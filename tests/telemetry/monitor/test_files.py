"""What ``guardrail monitor files`` writes: for these targets, at this pace, and never over what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from guardrail.cli.main import app
from guardrail.errors import ConfigurationError, UsageError
from guardrail.telemetry.monitor import write_files
from tests.support.monitor_files import SHIPPED

NAMES = {str(path.relative_to(SHIPPED)) for path in SHIPPED.rglob("*") if path.is_file()}


def command(*arguments):
    return CliRunner().invoke(app, ["monitor", "files", *map(str, arguments)])


def written(folder):
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    }


def test_all_files_are_written_as_they_ship(tmp_path):
    """At pace 1, for the default target."""
    told = write_files(tmp_path / "new" / "folder")
    assert {"prometheus.yml", "guardrail.rules.yml", "guardrail.alerts.yml", "README.md"} <= NAMES
    assert written(tmp_path / "new" / "folder") == {name: (SHIPPED / name).read_text() for name in NAMES}
    assert {str(path.relative_to(tmp_path / "new" / "folder")) for path in told} == NAMES


def test_targets_and_job_are_filled_in(tmp_path):
    """In the scrape config, and where alerts ask whether the job is up."""
    write_files(tmp_path, targets=["shop-1:9464", "[::1]:9465"], job="shop")
    (scrape,) = yaml.safe_load((tmp_path / "prometheus.yml").read_text())["scrape_configs"]
    assert scrape == {"job_name": "shop", "static_configs": [{"targets": ["shop-1:9464", "[::1]:9465"]}]}
    alerts = (tmp_path / "guardrail.alerts.yml").read_text()
    assert (
        alerts.count('up{job="shop"}')
        == (SHIPPED / "guardrail.alerts.yml").read_text().count('up{job="guardrail"}')
        > 2
    )
    for name, text in written(tmp_path).items():
        assert 'job="guardrail"' not in text, name
        assert "127.0.0.1:9464" not in text, name


def test_the_rules_hold_for_another_job(tmp_path, promtool):
    """Two cases are enough to see it: whether it is up, and the words of an alert."""
    write_files(tmp_path, job="shop")
    path = tmp_path / "guardrail.alerts.test.yml"
    shipped = Path(__file__).with_name(path.name).read_text(encoding="utf-8")
    tests = yaml.safe_load(shipped.replace('job="guardrail"', 'job="shop"'))
    cases = [tests["tests"][0], *(case for case in tests["tests"] if "alert_rule_test" in case)]
    assert len(cases) >= 2
    path.write_text(yaml.safe_dump(tests | {"tests": cases}))
    assert "SUCCESS" in promtool("test", "rules", path.name, cwd=tmp_path)


def test_what_is_there_is_kept(tmp_path):
    """Nothing at all is written then; with force everything is."""
    (tmp_path / "guardrail.rules.yml").write_text("mine")
    with pytest.raises(UsageError, match=r"guardrail\.rules\.yml' is there already"):
        write_files(tmp_path)
    assert written(tmp_path) == {"guardrail.rules.yml": "mine"}
    write_files(tmp_path, force=True)
    assert written(tmp_path).keys() == NAMES
    assert (tmp_path / "guardrail.rules.yml").read_text() != "mine"


def test_a_dangling_link_is_there_too(tmp_path):
    """Writing through it would make a file elsewhere."""
    (tmp_path / "README.md").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="is there already"):
        write_files(tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_of_the_caller(tmp_path):
    """Not a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_files(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"targets": []}, "targets is empty"),
        ({"targets": "shop:9464"}, r"Write \['shop:9464'\]"),
        ({"targets": ["http://shop:9464"]}, "host:port"),
        ({"targets": ["shop"]}, "host:port"),
        ({"targets": ["shop:9464/metrics"]}, "host:port"),
        ({"targets": ['a"b:1']}, "host:port"),
        ({"targets": ["\N{GRINNING FACE}:9464"]}, "host:port"),
        ({"targets": ["shop\x1b[2J:9464"]}, "host:port"),
        ({"targets": ["shop:9464\n"]}, "host:port"),
        ({"targets": ["shop:99999"]}, "host:port"),
        ({"targets": ["shop:0"]}, "host:port"),
        ({"targets": ["::1:9464"]}, r"\[::1\]:9464"),
        ({"job": ""}, "job must be"),
        ({"job": 'a"b'}, "job must be"),
        ({"job": "a\nb"}, "job must be"),
        ({"pace": 0}, "pace must be"),
        ({"pace": -1}, "pace must be"),
        ({"pace": 1e-6}, "pace must be"),
        ({"pace": float("nan")}, "pace must be"),
        ({"pace": float("inf")}, "pace must be"),
        ({"pace": "60"}, "pace must be"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, given, says):
    """Before anything is written."""
    with pytest.raises(ConfigurationError, match=says):
        write_files(tmp_path, **given)
    assert written(tmp_path) == {}


def test_the_command_says_what_to_do_next(tmp_path):
    """With the names that were given; a second time it refuses."""
    folder = tmp_path / "my monitoring"
    done = command(folder, "--target", "shop:9000", "--target", "b:1", "--job", "shop")
    assert done.exit_code == 0, done.output
    assert f"{len(NAMES)} files written to {folder}." in done.output
    assert 'serve_metrics(9000, host="0.0.0.0")' in done.output
    assert f"prometheus --config.file='{folder}/prometheus.yml'" in done.output
    assert '["shop:9000", "b:1"]' in (folder / "prometheus.yml").read_text()
    again = command(folder)
    assert isinstance(again.exception, UsageError)
    assert "is there already" in str(again.exception)
    assert command(folder, "--force").exit_code == 0
    assert '["127.0.0.1:9464"]' in (folder / "prometheus.yml").read_text()


def test_the_command_speaks_json(tmp_path):
    """Nothing else is printed."""
    told = json.loads(command(tmp_path, "--json", "--pace", "60").output)
    assert told["folder"] == str(tmp_path)
    assert sorted(told["files"]) == sorted(str(tmp_path / name) for name in NAMES)


def test_the_readme_names_what_is_there():
    """Every file in its table exists."""
    named = re.findall(r"^\| `([^`*]+)`", (SHIPPED / "README.md").read_text(), flags=re.MULTILINE)
    assert {"prometheus.yml", "grafana/"} <= set(named)
    for name in named:
        if not name.startswith("Guardrail"):
            assert (SHIPPED / name).exists(), name


@pytest.mark.parametrize(
    ("target", "call"),
    [
        ("127.0.0.1:1", "serve_metrics(1)"),
        ("[::1]:1", 'serve_metrics(1, host="::1")'),
        ("[fd00::7]:1", 'serve_metrics(1, host="::")'),
        ("shop-1:1", 'serve_metrics(1, host="0.0.0.0")'),
    ],
)
def test_the_command_says_how_to_listen_there(tmp_path, target, call):
    """A service that listens on IPv4 only is not reached at ::1."""
    assert call in command(tmp_path / "new", "--target", target).output.splitlines()[4]
