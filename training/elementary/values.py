"""Quantities in several forms: every form of a number says the same, and a near number serves as its false twin."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
    "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
).split()


def words(number: int) -> str:
    """A number below 1000 in words."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    rest = f" and {words(number % 100)}" if number % 100 else ""
    return f"{ONES[number // 100]} hundred{rest}"


def nth(number: int) -> str:
    """1st, 2nd, 3rd, 11th."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def plain(number: float) -> str:
    """No trailing zeros, no commas."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Quantity:
    """``draw`` gives a number, ``near`` one that is easily taken for it, ``forms`` the ways to write it."""

    draw: Callable[[random.Random], float]
    near: Callable[[random.Random, float], float]
    forms: Callable[[float], Sequence[str]]

    def two(self, rng: random.Random) -> tuple[float, float]:
        """A number and a near one that no form of the first can stand for."""
        while True:
            first = self.draw(rng)
            second = self.near(rng, first)
            if second > 0 and self.forms(second) and not set(self.forms(first)) & set(self.forms(second)):
                return first, second

    def ordered(self, rng: random.Random, count: int) -> list[float]:
        """``count`` different numbers, small ones first."""
        found: set[float] = set()
        while len(found) < count:
            found.add(self.draw(rng))
        return sorted(found)

    def form(self, rng: random.Random, value: float, unlike: str = "") -> str:
        """One way to write it, mostly another one than ``unlike``."""
        forms = list(self.forms(value))
        others = [f for f in forms if f != unlike]
        return rng.choice(others if others and rng.random() < 0.85 else forms)


def _steps(*steps: float) -> Callable[[random.Random, float], float]:
    return lambda rng, value: value + rng.choice(steps) * rng.choice((-1, 1))


def _scaled(*factors: float) -> Callable[[random.Random, float], float]:
    return lambda rng, value: round(value * rng.choice(factors), 4)


# -- time --------------------------------------------------------------------------------------------------------


def _part_of_day(hour: int) -> str:
    if hour < 12:
        return "in the morning"
    return "in the afternoon" if hour < 18 else "in the evening"


def _clock(value: float) -> list[str]:
    hour, minute = divmod(int(value), 60)
    twelve = hour % 12 or 12
    half = "am" if hour < 12 else "pm"
    dotted = "a.m." if hour < 12 else "p.m."
    when = _part_of_day(hour)
    found = [f"{hour:02d}:{minute:02d}", f"{twelve}:{minute:02d} {half}", f"{twelve}.{minute:02d} {half}"]
    if minute == 0:
        spoken = words(twelve)
        found += [f"{twelve} {half}", f"{twelve} {dotted}", f"{spoken} o'clock {when}", f"{spoken} {when}"]
        found += ["noon", "midday"] * (hour == 12)
    following = words((hour + 1) % 12 or 12)
    if minute == 30:
        found += [f"half past {words(twelve)} {when}"]
    if minute == 15:
        found += [f"a quarter past {words(twelve)} {when}"]
    if minute == 45 and hour not in {11, 17}:
        found += [f"a quarter to {following} {when}"]
    return found


def _clock_near(rng: random.Random, value: float) -> float:
    shifts = [720.0, 720.0, 60, 30, 120, 15]
    moved = value + rng.choice(shifts) * rng.choice((-1, 1))
    return moved if 300 <= moved < 1380 else _clock_near(rng, value)


def _split_date(value: float) -> tuple[int, int, int]:
    number = int(value)
    return number // 10_000, number // 100 % 100, number % 100


def _date(value: float) -> list[str]:
    year, month, day = _split_date(value)
    name = MONTHS[month - 1]
    found = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{name} {nth(day)}, {year}", f"{nth(day)} {name} {year}"]
    found += [f"{year}-{month:02d}-{day:02d}", f"the {ORDINALS[day]} of {name} {year}"]
    found += [f"{day}/{month:02d}/{year}", f"{day}.{month}.{year}", f"{month}/{day}/{year}"] * (day > 12)
    return found


def _day(value: float) -> list[str]:
    _, month, day = _split_date(value)
    name = MONTHS[month - 1]
    th = nth(day)
    return [f"{day} {name}", f"{name} {day}", f"{name} {th}", f"the {ORDINALS[day]} of {name}", f"{th} {name}"]


def _date_draw(rng: random.Random) -> float:
    return rng.randint(1985, 2027) * 10_000 + rng.randint(1, 12) * 100 + rng.randint(1, 28)


def _date_near(rng: random.Random, value: float) -> float:
    year, month, day = _split_date(value)
    other = [
        (year, month, day * 10 if day < 3 else min(28, day + 10)),
        (year, month, day + 1 if day < 28 else 27),
        (year, month % 12 + 1, day),
        (year, (month + rng.randint(2, 9)) % 12 + 1, day),
        (year, day, month) if day <= 12 else (year, month, day - 10),
    ]
    y, m, d = rng.choice(other)
    return y * 10_000 + m * 100 + d


def _full_date_near(rng: random.Random, value: float) -> float:
    return value + rng.choice((-1, 1)) * 10_000 if rng.random() < 0.25 else _date_near(rng, value)


_DURATIONS: list[tuple[int, list[str]]] = [
    (15, ["15 minutes", "a quarter of an hour", "fifteen minutes", "15 min"]),
    (20, ["20 minutes", "twenty minutes", "20 min"]),
    (30, ["30 minutes", "half an hour", "thirty minutes", "30 min"]),
    (45, ["45 minutes", "three quarters of an hour", "forty-five minutes", "45 min"]),
    (60, ["60 minutes", "an hour", "one hour", "1 h"]),
    (75, ["75 minutes", "an hour and a quarter", "1 hour 15 minutes", "1 h 15 min"]),
    (90, ["90 minutes", "an hour and a half", "1.5 hours", "one and a half hours", "1 h 30 min"]),
    (120, ["120 minutes", "two hours", "2 hours", "2 h"]),
    (150, ["150 minutes", "two and a half hours", "2.5 hours", "2 h 30 min"]),
    (180, ["180 minutes", "three hours", "3 hours"]),
    (720, ["12 hours", "twelve hours", "half a day"]),
    (1440, ["24 hours", "one day", "1 day", "twenty-four hours"]),
    (2880, ["48 hours", "two days", "2 days"]),
    (4320, ["72 hours", "three days", "3 days"]),
    (10080, ["7 days", "seven days", "one week", "a week", "1 week"]),
    (14400, ["10 days", "ten days"]),
    (20160, ["14 days", "fourteen days", "two weeks", "a fortnight", "2 weeks"]),
    (30240, ["21 days", "three weeks", "3 weeks", "twenty-one days"]),
    (40320, ["28 days", "four weeks", "4 weeks"]),
    (129_600, ["3 months", "three months", "a quarter of a year"]),
    (259_200, ["6 months", "six months", "half a year"]),
    (388_800, ["9 months", "nine months", "three quarters of a year"]),
    (518_400, ["12 months", "twelve months", "one year", "a year"]),
    (777_600, ["18 months", "eighteen months", "a year and a half", "one and a half years", "1.5 years"]),
    (1_036_800, ["24 months", "two years", "2 years"]),
    (1_296_000, ["30 months", "two and a half years", "2.5 years"]),
    (1_555_200, ["36 months", "three years", "3 years"]),
    (2_592_000, ["60 months", "five years", "5 years"]),
    (5_184_000, ["ten years", "10 years", "a decade", "120 months"]),
]
_SHORT = [v for v, _ in _DURATIONS if v <= 180]
_LONG = [v for v, _ in _DURATIONS if v >= 720]


def duration(value: float) -> list[str]:
    """The forms of a length of time in minutes."""
    listed = dict(_DURATIONS).get(int(value))
    if listed:
        return listed
    hours, minutes = divmod(int(value), 60)
    if not minutes:
        return [f"{hours} hours", f"{words(hours)} hours", f"{hours} h"]
    if not hours:
        return [f"{minutes} minutes", f"{words(minutes)} minutes", f"{minutes} min"]
    unit = "hour" if hours == 1 else "hours"
    return [f"{hours} {unit} {minutes} minutes", f"{hours} h {minutes} min", f"{int(value)} minutes"]


def _beside(pool: list[int]) -> Callable[[random.Random, float], float]:
    def near(rng: random.Random, value: float) -> float:
        at = pool.index(int(value))
        return pool[max(0, min(len(pool) - 1, at + rng.choice((-2, -1, 1, 2))))]

    return near


_FREQUENCIES: list[list[str]] = [
    ["hourly", "every hour", "once an hour"],
    ["daily", "every day", "once a day", "seven times a week"],
    ["twice a day", "two times a day", "every twelve hours"],
    ["twice a week", "two times a week", "on two days a week"],
    ["weekly", "every week", "once a week"],
    ["fortnightly", "every two weeks", "every other week", "every fourteen days"],
    ["monthly", "every month", "once a month", "twelve times a year"],
    ["quarterly", "every three months", "four times a year"],
    ["twice a year", "every six months", "every half-year"],
    ["annually", "every year", "once a year", "yearly"],
    ["every two years", "every other year", "once every two years"],
    ["every four years", "once every four years", "at four-year intervals"],
]


# -- measures ----------------------------------------------------------------------------------------------------


def _named(value: float, unit: str) -> str:
    """The unit in singular after one: metre, cubic metre."""
    return unit.removesuffix("s") if value == 1 else unit


def _unit(small: str, large: str, factor: int, names: tuple[str, str]) -> Callable[[float], list[str]]:
    """Forms of a number of small units that may also be written in the large one."""

    def forms(value: float) -> list[str]:
        found = []
        if value >= 1:
            found += [f"{plain(value)} {small}", f"{plain(value)} {_named(value, names[0])}"]
            found += [f"{value:,.0f} {small}"] * (value >= 1000 and value == int(value))
        big = value / factor
        if big >= 0.1 and abs(big * 1000 - round(big * 1000)) < 1e-6:
            found += [f"{plain(big)} {large}", f"{plain(big)} {_named(big, names[1])}"]
            named = {0.5: "half a", 0.25: "a quarter of a", 0.75: "three quarters of a"}.get(big)
            found += [f"{named} {names[1].removesuffix('s')}"] * bool(named)
            if big % 1 == 0.5 and 1 < big < 20:
                found += [f"{words(int(big))} and a half {names[1]}"]
            if big == int(big) and 1 < big < 20:
                found += [f"{words(int(big))} {names[1]}"]
        return found

    return forms


def _pick(*values: float) -> Callable[[random.Random], float]:
    return lambda rng: rng.choice(values)


_MEASURED = (250.0, 500, 750, 1200, 1500, 1800, 2000, 2400, 2500, 3000, 3500, 4000, 4500, 600, 850, 1250, 6000, 7500)
_TWINS = (10.0, 0.1, 2, 0.5, 1.2, 0.8, 1000)


def _money(sign: str, code: str, unit: str) -> Callable[[float], list[str]]:
    def forms(value: float) -> list[str]:
        whole, cents = divmod(round(value * 100), 100)
        amount = f"{value:,.2f}"
        found = [f"{sign}{amount}", f"{amount} {code}", f"{sign}{plain(value)}", f"{plain(value)} {unit}"]
        if not cents:
            found = [f"{sign}{whole:,}", f"{whole:,} {code}", f"{whole} {unit}", f"{sign}{amount}"]
            if whole <= 100 or (whole < 1000 and whole % 100 == 0):
                found.append(f"{words(whole)} {unit}")
        elif not whole:
            found = [f"{sign}{amount}", f"{amount} {code}", f"{cents} {'pence' if sign == '£' else 'cents'}"]
        elif sign != "£":
            found += [f"{whole} {unit} and {cents} cents"] * (whole > 1)
        return found

    return forms


def _money_near(rng: random.Random, value: float) -> float:
    moves = [value * 10, value / 10, value + 1, value - 1, value + 10, value - 10, value + 0.5, value * 2, value * 1.1]
    moved = round(rng.choice(moves), 2)
    return moved if moved >= 0.1 else _money_near(rng, value)


def _money_draw(rng: random.Random) -> float:
    kind = rng.random()
    if kind < 0.15:
        return rng.randint(15, 95) / 100
    if kind < 0.5:
        return rng.choice((rng.randint(2, 150) + rng.choice((0.5, 0.9, 0.25, 0.8, 0.99)), rng.randint(2, 99) + 0.5))
    low, step = rng.choice(((2, 1), (11, 10), (2, 100), (2, 1000)))
    return step * rng.randint(low, 99 if step <= 10 else 40)


_SHARES: dict[int, list[str]] = {
    5: ["5%", "five percent", "one in twenty"],
    10: ["10%", "a tenth", "one in ten", "ten percent"],
    15: ["15%", "fifteen percent", "15 per cent"],
    20: ["20%", "a fifth", "one in five", "twenty percent", "20 per cent"],
    25: ["25%", "a quarter", "one in four", "25 percent", "one fourth"],
    30: ["30%", "three in ten", "thirty percent"],
    40: ["40%", "two fifths", "two in five", "forty percent"],
    50: ["50%", "half", "one in two", "fifty percent"],
    60: ["60%", "three fifths", "three in five", "sixty percent"],
    70: ["70%", "seven in ten", "seventy percent"],
    75: ["75%", "three quarters", "three in four", "75 percent"],
    80: ["80%", "four fifths", "four in five", "eighty percent"],
    90: ["90%", "nine in ten", "nine tenths", "ninety percent"],
}


def _rate(value: float) -> list[str]:
    return [form for form in _SHARES[int(value)] if " in " not in form]


def _magnitude(value: float) -> list[str]:
    found = [f"{value:,.0f}"]
    if value >= 1e9:
        return [*found, f"{plain(value / 1e9)} billion", f"{plain(value / 1e9)}bn"]
    if value >= 1e6:
        found += [f"{plain(value / 1e6)} million", f"{plain(value / 1e6)}m"]
        found += [f"{words(int(value / 1e6))} and a half million"] * (value / 1e6 % 1 == 0.5 and value < 2e7)
        return found + [f"{words(int(value / 1e6))} million"] * (value % 1e6 == 0 and value < 1e8)
    if value % 1000 == 0:
        found += [f"{plain(value / 1000)} thousand", f"{plain(value / 1000)}k"]
    return found


def _magnitude_draw(rng: random.Random) -> float:
    return rng.randint(11, 95) * rng.choice((1e4, 1e5, 1e6, 1e8))


def _count(value: float) -> list[str]:
    number = int(value)
    named = {6: ["half a dozen"], 12: ["a dozen"], 24: ["two dozen"], 36: ["three dozen"]}
    return [str(number), words(number), *named.get(number, [])]


def _count_near(rng: random.Random, value: float) -> float:
    confused = {12.0: 20.0, 20: 12, 13: 30, 30: 13, 14: 40, 15: 50, 16: 60, 17: 70, 18: 80, 19: 90, 6: 12, 24: 42}
    if value in confused and rng.random() < 0.4:
        return confused[value]
    return max(2, value + rng.choice((-3, -2, -1, 1, 2, 3, 10)))


def _temperature(value: float) -> list[str]:
    degrees, fahrenheit = int(value), round(value * 9 / 5 + 32)
    celsius = [f"{degrees} °C", f"{degrees} degrees Celsius", f"{degrees}°C"]
    return [*celsius, f"{fahrenheit} °F", f"{fahrenheit} degrees Fahrenheit"]


_SPEEDS = {32: 20, 48: 30, 64: 40, 80: 50, 97: 60, 113: 70, 129: 80, 161: 100}


def _speed(value: float) -> list[str]:
    kmh = int(value)
    return [f"{kmh} km/h", f"{kmh} kilometres per hour", f"{kmh} kph", f"about {_SPEEDS[kmh]} mph"]


def _ordinal(value: float) -> list[str]:
    return [nth(int(value)), ORDINALS[int(value)]]


def _many(rng: random.Random) -> float:
    return rng.choice((rng.randint(2, 30), rng.randint(2, 30), rng.choice((6, 12, 24, 36, 40, 50, 60, 70, 80, 90))))


QUANTITIES: dict[str, Quantity] = {
    "clock": Quantity(lambda r: 60 * r.randint(6, 22) + r.choice((0, 0, 0, 30, 15, 45)), _clock_near, _clock),
    "date": Quantity(_date_draw, _full_date_near, _date),
    "day": Quantity(lambda r: 20_010_000 + _date_draw(r) % 10_000, _date_near, _day),
    "short": Quantity(_pick(*_SHORT), _beside(_SHORT), duration),
    "long": Quantity(_pick(*_LONG), _beside(_LONG), duration),
    "often": Quantity(
        lambda r: r.randint(1, len(_FREQUENCIES)),
        lambda r, v: (v + r.choice((1, 2, 3)) - 1) % len(_FREQUENCIES) + 1,
        lambda v: _FREQUENCIES[int(v) - 1],
    ),
    "dose": Quantity(
        _pick(250, 500, 750, 1000, 1200, 1500, 2000, 2500, 400, 800, 3000),
        _scaled(*_TWINS),
        _unit("mg", "g", 1000, ("milligrams", "grams")),
    ),
    "weight": Quantity(_pick(*_MEASURED), _scaled(*_TWINS), _unit("g", "kg", 1000, ("grams", "kilograms"))),
    "tonnes": Quantity(_pick(*_MEASURED), _scaled(*_TWINS), _unit("kg", "t", 1000, ("kilograms", "tonnes"))),
    "volume": Quantity(_pick(*_MEASURED), _scaled(*_TWINS), _unit("ml", "l", 1000, ("millilitres", "litres"))),
    "tank": Quantity(
        _pick(500, 750, 1000, 1500, 2000, 2500, 4000, 6000),
        _scaled(*_TWINS),
        _unit("l", "m³", 1000, ("litres", "cubic metres")),
    ),
    "distance": Quantity(_pick(*_MEASURED), _scaled(*_TWINS), _unit("m", "km", 1000, ("metres", "kilometres"))),
    "size": Quantity(
        _pick(25, 40, 50, 60, 75, 80, 120, 150, 180, 200, 240, 250),
        _scaled(2, 0.5, 1.2, 10, 0.1),
        _unit("cm", "m", 100, ("centimetres", "metres")),
    ),
    "thin": Quantity(
        _pick(5, 8, 12, 15, 20, 25, 35, 45, 60, 80),
        _scaled(2, 0.5, 10, 0.1),
        _unit("mm", "cm", 10, ("millimetres", "centimetres")),
    ),
    "data": Quantity(
        _pick(250, 500, 1500, 2000, 2500, 4000, 750, 1200),
        _scaled(*_TWINS[:6]),
        _unit("MB", "GB", 1000, ("megabytes", "gigabytes")),
    ),
    "disk": Quantity(
        _pick(250, 500, 1500, 2000, 4000, 750, 1000),
        _scaled(*_TWINS[:6]),
        _unit("GB", "TB", 1000, ("gigabytes", "terabytes")),
    ),
    "power": Quantity(
        _pick(500, 750, 1200, 1500, 1800, 2000, 2200, 2500),
        _scaled(*_TWINS[:6]),
        _unit("W", "kW", 1000, ("watts", "kilowatts")),
    ),
    "heat": Quantity(lambda r: 5 * r.randint(1, 50), _steps(5, 10, 20, 50), _temperature),
    "speed": Quantity(_pick(*_SPEEDS), _beside(list(_SPEEDS)), _speed),
    "euro": Quantity(_money_draw, _money_near, _money("€", "EUR", "euros")),
    "dollar": Quantity(_money_draw, _money_near, _money("$", "USD", "dollars")),
    "pound": Quantity(_money_draw, _money_near, _money("£", "GBP", "pounds")),
    "price": Quantity(
        lambda r: r.choice((r.randint(4, 90) * 5, r.randint(3, 60), r.randint(10, 90) * 10)),
        lambda r, v: v + r.choice((5, 10, -2, 1, 20)),
        _money("€", "EUR", "euros"),
    ),
    "share": Quantity(_pick(*_SHARES), _beside(list(_SHARES)), lambda v: _SHARES[int(v)]),
    "magnitude": Quantity(_magnitude_draw, _scaled(10, 0.1, 1.5, 2, 0.5, 1000, 0.001), _magnitude),
    "people": Quantity(lambda r: r.randint(11, 95) * r.choice((1e3, 1e4, 1e5)), _scaled(10, 0.1, 1.5, 2), _magnitude),
    "rate": Quantity(_pick(*_SHARES), _beside(list(_SHARES)), _rate),
    "count": Quantity(_many, _count_near, _count),
    "age": Quantity(lambda r: r.randint(3, 90), _count_near, lambda v: [str(int(v)), words(int(v))]),
    "ordinal": Quantity(lambda r: r.randint(1, 20), _steps(1, 2, 3), _ordinal),
    "month": Quantity(
        lambda r: r.randint(1, 12), lambda r, v: (v + r.randint(1, 9)) % 12 + 1, lambda v: [MONTHS[int(v) - 1]]
    ),
    "weekday": Quantity(
        lambda r: r.randint(1, 7), lambda r, v: (v + r.randint(0, 4)) % 7 + 1, lambda v: [WEEKDAYS[int(v) - 1]]
    ),
    "year": Quantity(lambda r: r.randint(1890, 2025), _steps(1, 2, 10), lambda v: [str(int(v))]),
    "number": Quantity(lambda r: r.randint(13, 900), _steps(1, 3, 10, 100), lambda v: [str(int(v))]),
    "few": Quantity(lambda r: r.randint(2, 12), _steps(1, 2), lambda v: [str(int(v)), words(int(v))]),
}
