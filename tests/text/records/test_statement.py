"""Cells with the units that their headers name."""

import pytest

from guardrail.text.records import row_text, statements
from guardrail.text.records.statement import title


@pytest.mark.parametrize(
    ("header", "cell", "said"),
    [
        ("mass_g", "1240", "mass: 1240 g."),
        ("max_wind_m_s", "12", "max wind: 12 m/s."),
        ("size_m2", "64.5", "size: 64.5 m²."),
        ("flightTimeMin", "46", "flight Time: 46 min."),
        ("Price (EUR)", "1,299.50", "Price: 1,299.50 EUR."),
        ("Price ($)", "49", "Price: $49."),
        ("share_pct", "12", "share: 12%."),
        ("weight [kg]", "-3 (lowest)", "weight: -3 kg (lowest)."),
        ("Price (EUR)", "on request", "Price (EUR): on request."),
        ("Price (EUR)", "49 USD", "Price (EUR): 49 USD."),
        ("Vitamin C", "3", "Vitamin C: 3."),
        ("Plan S", "3", "Plan S: 3."),
        ("EUR", "3", "EUR: 3."),
        ("Price per hour", "20", "Price per hour: 20."),
        ("price_per_kg", "5", "price per kg: 5."),
        ("Requests per minute", "60", "Requests per minute: 60."),
        ("Games W", "10", "Games W: 10."),
        ("First hour", "3", "First hour: 3."),
        ("retention_days", "30", "retention: 30 days."),
        ("Rooms (total)", "3", "Rooms (total): 3."),
        ("up to 2 kg", "24.00", "up to 2 kg: 24.00."),
        ("up to 2 kg (EUR)", "24.00", "up to 2 kg: 24.00 EUR."),
    ],
)
def test_a_bare_number_has_the_unit_of_its_header(header, cell, said):
    assert row_text([title(header)], [cell]) == said


def test_json_keys_that_end_in_a_unit():
    [statement] = statements('{"model": "Heron 2", "mass_g": 1240, "open": true}\n')
    assert statement.text == "model: Heron 2; mass: 1240 g; open: yes."
    assert dict(statement.cells)["mass g"] == "1240"
