"""JSON that keeps all digits of numbers: ``Decimal`` is written as the number that it is."""

from __future__ import annotations

import decimal
import json
import math
from typing import Any, List


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
    """Reads a document; numbers with a fraction or an exponent become ``Decimal`` or ``float``."""
    return json.loads(text, parse_float=decimal.Decimal if decimals else float)
