"""Portkey's webhook: requests as the gateway sends them, and the exact responses."""

from __future__ import annotations

import pytest

from tests.support.golden_requests import answers_exactly, golden, refused_in_form


@pytest.mark.parametrize("cases", golden("portkey"))
def test_exact_response(cases, url):
    answers_exactly(url, cases)


def test_refusals_have_the_vendors_form(locked):
    refused_in_form(locked, "/portkey", "data", "explanation")
