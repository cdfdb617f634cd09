"""A YAML file that holds one mapping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from guardrail.errors import ConfigurationError
from guardrail.service.settings import Settings
from guardrail.service.yaml_file import read_mapping


def test_no_such_file(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot read"):
        Settings.load(tmp_path / "no.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [("port: 1\nport: 2", "'port' stands twice"), ("port: [", "not valid YAML"), ("- a", "must hold a mapping")],
)
def test_what_is_wrong_with_the_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "service.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=said) as refused:
        read_mapping(path)
    assert "service.yaml" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "held"),
    [("", {}), ("# nothing yet\n", {}), ("a: 1\nb: {c: [x]}", {"a": 1, "b": {"c": ["x"]}}), ('{"a": "é"}', {"a": "é"})],
)
def test_a_mapping_is_read_and_an_empty_file_says_nothing(tmp_path: Path, text: str, held: dict[str, Any]) -> None:
    path = tmp_path / "service.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_mapping(path) == held


def test_the_line_is_named_and_what_stands_in_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "service.yaml"
    path.write_text("port: 1\nkey: [grk_secret\nhost: x\n")
    with pytest.raises(ConfigurationError, match=r"in line \d") as refused:
        read_mapping(path)
    assert "secret" not in str(refused.value)


def test_bytes_that_are_no_text_and_names_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "service.yaml"
    path.write_bytes(b"a: \xff\xfe")
    with pytest.raises(ConfigurationError, match="cannot read settings file"):
        read_mapping(path)
    path.write_text("1: a")
    with pytest.raises(ConfigurationError, match="mapping of names to values"):
        read_mapping(path)
