"""Units of measure and their size in one base unit per dimension."""

from __future__ import annotations

import re

_MINUTE, _HOUR = 60.0, 3600.0
DAY, YEAR = 86_400.0, 31_557_600.0
"""In seconds."""

MONEY = frozenset({"USD", "EUR", "GBP", "CNY"})
"""Units of money; cents without a currency count as dollars."""


_TABLE: dict[str, dict[str, float]] = {
    "m": {
        "m|metre|metres|meter|meters|米|メートル": 1,
        "km|kilometre|kilometres|kilometer|kilometers|公里|千米|キロメートル": 1000,
        "cm|centimetre|centimetres|centimeter|centimeters|厘米|センチメートル|センチ": 0.01,
        "mm|millimetre|millimetres|millimeter|millimeters|毫米|ミリメートル": 0.001,
        "µm|μm|micrometre|micrometres|micrometer|micrometers|micron|microns|微米": 1e-6,
        "nm|nanometre|nanometres|nanometer|nanometers|纳米": 1e-9,
        "mile|miles|mi|英里": 1609.344,
        "yard|yards|yd": 0.9144,
        "foot|feet|ft|英尺": 0.3048,
        "inch|inches|英寸": 0.0254,
    },
    "kg": {
        "kg|kilo|kilos|kilogram|kilograms|kilogramme|kilogrammes|公斤|千克|キログラム": 1,
        "g|gram|grams|gramme|grammes|克|グラム": 0.001,
        "mg|milligram|milligrams|毫克|ミリグラム": 1e-6,
        "µg|μg|mcg|microgram|micrograms|微克": 1e-9,
        "t|ton|tons|tonne|tonnes|吨": 1000,
        "lb|lbs|pound|pounds|磅": 0.45359237,
        "oz|ounce|ounces|盎司": 0.028349523,
        "斤": 0.5,
    },
    "s": {
        "s|sec|secs|second|seconds|Sekunde|Sekunden|segundos|secondes|秒|秒钟|秒間": 1,
        "ms|millisecond|milliseconds|毫秒": 0.001,
        "min|mins|minute|minutes|Minuten|minutos|分钟|分間": _MINUTE,
        "h|hr|hrs|hour|hours|Std|Stunde|Stunden|hora|horas|heure|heures|小时|个小时|钟头|个钟头|時間": _HOUR,
        "day|days|night|nights|Tag|Tage|Tagen|Werktage|Werktagen|día|días|jour|jours|天|日|日間": DAY,
        "Nächte|Nächten|noches|nuits": DAY,
        "week|weeks|Woche|Wochen|semana|semanas|semaine|semaines|周|星期|个星期|礼拜|週間": 7 * DAY,
        "fortnight|fortnights": 14 * DAY,
        "month|months|Monat|Monate|Monaten|mes|meses|mois|个月|月": YEAR / 12,
        "quarter-year": YEAR / 4,
        "year|years|yr|yrs|Jahr|Jahre|Jahren|año|años|ans|年|周年|周岁|岁|年间|年間": YEAR,
        "decade|decades": 10 * YEAR,
        "century|centuries": 100 * YEAR,
    },
    "B": {
        "bytes|byte|B|字节": 1,
        "KB|kB|kilobyte|kilobytes": 1e3,
        "MB|megabyte|megabytes": 1e6,
        "GB|gigabyte|gigabytes": 1e9,
        "TB|terabyte|terabytes": 1e12,
        "PB|petabyte|petabytes": 1e15,
        "KiB": 1024,
        "MiB": 1024**2,
        "GiB": 1024**3,
        "TiB": 1024**4,
    },
    "m/s": {"m/s|mps": 1, "km/h|kph|kmh": 1 / 3.6, "mph": 0.44704, "knot|knots": 0.514444},
    "m²": {
        "m²|m2|sqm|平方米|平米": 1,
        "km²|km2|平方公里": 1e6,
        "ha|hectare|hectares|公顷": 1e4,
        "acre|acres|英亩": 4046.856,
        "亩": 666.667,
    },
    "l": {
        "l|L|litre|litres|liter|liters|升|公升|リットル": 1,
        "ml|mL|millilitre|millilitres|milliliter|milliliters|毫升|ミリリットル": 0.001,
        "cl|centilitre|centilitres": 0.01,
        "m³|m3|立方米": 1000,
        "gallon|gallons|加仑": 3.785,
    },
    "W": {
        "W|watt|watts|瓦|ワット": 1,
        "kW|kilowatt|kilowatts|千瓦|キロワット": 1e3,
        "MW|megawatt|megawatts|兆瓦": 1e6,
        "GW": 1e9,
    },
    "Hz": {"Hz|hertz|赫兹": 1, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9},
    "USD": {"$|USD|US$|dollar|dollars|buck|bucks|美元|美金|ドル": 1, "cent|cents": 0.01},
    "EUR": {"€|EUR|euro|euros|欧元|ユーロ": 1},
    "GBP": {"£|GBP|quid|英镑": 1, "pence": 0.01},
    # The sign stands for two currencies; nothing in the text alone tells which.
    "CNY": {"¥|￥|CNY|RMB|yuan|renminbi|元|块|块钱|人民币|yen|JPY|日元|円|日圓": 1, "万元": 1e4, "亿元": 1e8},
    "°C": {"°C|℃|度|摄氏度|degrees|degree|°|celsius": 1, "°F|℉|华氏度|fahrenheit": -1},
    "%": {"%|％|percent|per cent|パーセント|个百分点|pct": 0.01, "成": 0.1},
    "x": {"times|倍|fold": 1},
}

UNITS: dict[str, tuple[str, float]] = {
    name: (dimension, factor)
    for dimension, rows in _TABLE.items()
    for names, factor in rows.items()
    for name in names.split("|")
}
_BETWEEN = (
    "more|further|additional|extra|full|working|business|calendar|consecutive|whole|straight|long|solid|paid|begun"
    "|started"
)
_AFTER = re.compile(
    rf"[\s-]?(?:(?:{_BETWEEN})[\s-])?"
    r"(?P<unit>per\s?cent\b|percentage\spoints?|degrees?\s(?:Celsius|Fahrenheit|C|F)\b|°\s?[CF]?\b|°|[%％℃℉$€£¥￥]"
    r"|(?:km|m)/[hs]\b|(?:square|cubic|sq)\s(?:[a-z]{1,12})|k?m[²³23]\b|US\$|[A-Za-zµμíñ]{1,14}(?![A-Za-z0-9]))"
    r"(?P<per>\s?(?:per|an?|/)\s?(?P<time>hour|h|second|s)\b)?",
)
_CJK_UNIT = sorted(
    (name for name in UNITS if "\u30a1" <= name[0] <= "\u9fff" or name[0] in "℃%％"), key=len, reverse=True
)
_AFTER_CJK = re.compile(
    r"\s?(?:个|[か箇カケヵヶ](?=[月年]))?(?P<unit>" + "|".join(_CJK_UNIT) + r")(?!(?<=間)に合[いうえわっ])"
)
JAPANESE_MINUTES = re.compile(
    r"(?<=[0-9])(?<![時时][0-9])(?<![時时][0-9]{2})(?<!割[0-9])"
    r"\s?分(?!間|钟|鐘|け|の[0-9一二三四五六七八九十]|[割野類岐配散担析解離校館冊咲丈目袖度])"
)
"""Behind digits in a Japanese text; not of a time of day ("9時10分"), nor in "3分の1" (a third), "3分割"."""
_JAPANESE = re.compile(r"[\u3041-\u30fa]|時間")
_AROUND = 60
"""Characters on both sides that tell whether "60分" are minutes: in Chinese they are cents or points."""
_BEFORE = re.compile(r"(?P<unit>US\$|[$€£¥￥]|USD|EUR|GBP|CNY|RMB|人民币)\s?$")
_COMPOUND = re.compile(r"-(?!(?:long|old|wide|deep|high|tall|thick|by)\b)[a-z]{2}", re.IGNORECASE)
"""Behind a unit that is none: "640 night-shift nurses"."""
_CUBES = {"metre": "m³", "meter": "m³", "m": "m³"}
_SQUARES = {"metre": "m²", "meter": "m²", "m": "m²", "kilometre": "km²", "kilometer": "km²", "km": "km²"}
_SQUARE_FEET = 0.09290304


def _known(name: str) -> tuple[str, float] | None:
    return UNITS.get(name) or (UNITS.get(name.lower()) if len(name) > 2 else None)


def unit_after(text: str, at: int) -> tuple[str, float, int] | None:
    """The unit that begins at ``at``: dimension, size in the base unit, end. None where there is none."""
    match = JAPANESE_MINUTES.match(text, at)
    if match and _JAPANESE.search(text, max(0, at - _AROUND), at + _AROUND):
        return (*UNITS["分間"], match.end())
    if match := _AFTER_CJK.match(text, at):
        return (*UNITS[match["unit"]], match.end())
    match = _AFTER.match(text, at)
    if match is None:
        return None
    name, end = " ".join(match["unit"].split()), match.end("unit")
    if name.startswith(("square ", "sq ", "cubic ")):
        shape, _, side = name.partition(" ")
        side = side.rstrip("s")
        if shape != "cubic" and side in {"foot", "feet", "ft"}:
            return "m²", _SQUARE_FEET, end
        known = _known((_CUBES if shape == "cubic" else _SQUARES).get(side, ""))
    elif name.startswith(("degree", "°")):
        known = "°C", -1.0 if name.endswith(("F", "Fahrenheit")) else 1.0
    elif name.startswith(("percent", "per cent")):
        known = UNITS["%"]
    else:
        known = None if text[at : at + 1].isspace() and _COMPOUND.match(text, end) else _known(name)
    if known is None:
        return None
    if known[0] == "m" and match["per"]:
        return "m/s", known[1] / (_HOUR if match["time"].startswith("h") else 1.0), match.end()
    return (*known, end)


def unit_before(text: str, at: int) -> tuple[str, float, int] | None:
    """A currency sign that ends at ``at``: dimension, size, start."""
    match = _BEFORE.search(text, max(0, at - 5), at)
    return (*UNITS[match["unit"]], match.start()) if match else None


def to_base(value: float, dimension: str, factor: float) -> float:
    """The value in the base unit; Fahrenheit has an offset, marked by a negative factor."""
    if dimension == "°C" and factor < 0:
        return (value - 32) * 5 / 9
    return value * factor
