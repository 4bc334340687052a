"""JSON that keeps all digits of numbers: ``Decimal`` is written as the number that it is."""

from __future__ import annotations

import decimal
import json
import math
import re
from typing import Any, Dict, List, Tuple

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]')


class _HasDecimals(Exception):
    pass


def _refuse(value: Any) -> Any:
    if isinstance(value, decimal.Decimal):
        raise _HasDecimals()
    raise TypeError("a value of type %s cannot be written as JSON" % type(value).__name__)


def dumps(value: Any) -> str:
    """Writes a value. Raises TypeError or ValueError if that is not possible: NaN, a cycle, an object of another type."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=_refuse)
    except _HasDecimals:
        parts: List[str] = []
        _write(value, parts)
        return "".join(parts)


def _write(value: Any, parts: List[str]) -> None:
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError("%s cannot be written as JSON" % value)
        parts.append(str(value))
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("%s cannot be written as JSON" % value)
    elif isinstance(value, dict):
        parts.append("{")
        for index, (key, member) in enumerate(value.items()):
            if not isinstance(key, str):
                # As the standard library turns numbers, booleans and None into names.
                key = next(iter(json.loads(json.dumps({key: None}))))
            parts.append(("," if index else "") + json.dumps(key) + ":")
            _write(member, parts)
        parts.append("}")
    elif isinstance(value, (list, tuple)):
        parts.append("[")
        for index, element in enumerate(value):
            if index:
                parts.append(",")
            _write(element, parts)
        parts.append("]")
    else:
        parts.append(json.dumps(value, allow_nan=False, default=_refuse))


def loads(text: str, decimals: bool) -> Any:
    """Reads a document; numbers with a fraction or an exponent become ``Decimal`` or ``float``, those beyond the range of ``float``
    always ``Decimal``. Raises ValueError or RecursionError."""
    return json.loads(text, parse_float=decimal.Decimal if decimals else _float)


def _float(text: str) -> Any:
    number = float(text)
    return number if math.isfinite(number) else decimal.Decimal(text)


def members(text: str) -> Dict[str, str]:
    """The texts of the members of an object, for one that cannot be read as a whole. Raises ValueError."""
    return {json.loads(name): value for name, value in map(_member, _parts(text, "{}"))}


def elements(text: str) -> List[str]:
    """The same of the elements of an array."""
    return _parts(text, "[]")


def _member(text: str) -> Tuple[str, str]:
    name = _TOKEN.match(text)
    if name is None or text[name.end():].lstrip()[:1] != ":":
        raise ValueError("a member of an object has no name")
    return name.group(), text[name.end():].lstrip()[1:].strip()


def _parts(text: str, brackets: str) -> List[str]:
    """What is between the commas of the outermost object or array."""
    text = text.strip()
    if text[:1] != brackets[0] or text[-1:] != brackets[1]:
        raise ValueError("neither an object nor an array, or not to its end")
    parts: List[str] = []
    depth, start = 0, 1
    for token in _TOKEN.finditer(text):
        kind = token.group()
        if kind in "[{":
            depth += 1
        elif kind in "]}":
            depth -= 1
        if depth == 1 and kind == "," or depth == 0:
            part = text[start:token.start()].strip()
            if part or parts:
                parts.append(part)
            start = token.end()
        if depth == 0:
            break
    return parts
