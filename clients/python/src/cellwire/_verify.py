"""Signatures of webhooks."""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
import hmac
import json
import re
import time
from typing import Any, Callable, Dict, Iterable, List, NoReturn, Optional, Sequence, Tuple, Union, cast

from ._errors import SignatureError
from .notification import DocumentUpdated

_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)")


def verify(
    raw_body: Union[str, bytes, bytearray],
    headers: Any,
    secrets: Union[str, Sequence[str]],
    *,
    tolerance: float = 300,
    now: Union[float, datetime.datetime, None] = None,
) -> DocumentUpdated:
    """Checks the signature of a webhook and returns its parsed body.

    `raw_body`: the unparsed body. `headers`: a mapping, pairs, the headers of `http.server`, or a WSGI environment.
    Checks the Standard Webhooks signature if it is present, else `X-Service-Signature`. `now`: in seconds. Raises
    `SignatureError` for any other request.
    """
    # Missing secrets, which type checkers would report, must not accept a request.
    keys: List[Any] = [secrets] if isinstance(secrets, str) else list(secrets or ())
    if not keys or not all(isinstance(key, str) and key for key in keys):
        _refuse("a secret is missing")
    header = _create_header_reader(headers or {})
    body = raw_body.encode() if isinstance(raw_body, str) else bytes(raw_body)
    standard = header("webhook-signature")
    if standard is None:
        is_valid = _is_signed([key.encode() for key in keys], _parse_service_signatures(header("x-service-signature")), body)
        moment = _parse_service_time(header("x-service-timestamp"))
    else:
        moment = _parse_standard_time(header("webhook-timestamp"))
        message_id = header("webhook-id") or _refuse("webhook-id is missing")
        content = f"{message_id}.{header('webhook-timestamp')}.".encode() + body
        is_valid = _is_signed([_decode_standard_key(key) for key in keys], _parse_standard_signatures(standard), content)
    # An invalid `now` or `tolerance` is NaN, which is not within any tolerance.
    if moment is not None and not abs(_to_seconds(now) - moment) <= tolerance:
        _refuse("its time stamp is too far from now")
    if not is_valid:
        _refuse("the signature does not match")
    try:
        parsed: DocumentUpdated = json.loads(body)
    except ValueError:
        _refuse("the body is not JSON")
    return parsed


def _refuse(reason: str) -> NoReturn:
    """Raises `SignatureError`."""
    raise SignatureError(f"The webhook is refused: {reason}") from None


def _to_seconds(now: Union[float, datetime.datetime, None]) -> float:
    """Returns a time in seconds since 1970; None means now."""
    if isinstance(now, datetime.datetime):
        return now.timestamp()
    return time.time() if now is None else now


def _create_header_reader(headers: Any) -> Callable[[str], Optional[str]]:
    """Returns a function that returns a header by its lower-case name; None for a missing header."""
    values: Dict[str, str] = {}
    for name, value in _list_header_pairs(headers):
        key = _to_text(name).lower().replace("_", "-")
        key = key[5:] if key.startswith("http-") else key
        parts = cast("Iterable[Any]", value) if isinstance(value, (list, tuple)) else [value]
        text = " ".join(map(_to_text, parts))
        values[key] = f"{values[key]} {text}" if key in values else text
    return lambda name: values[name].strip() if name in values else None


def _list_header_pairs(headers: Any) -> Iterable[Tuple[Any, Any]]:
    """Returns names and values of headers in any accepted form."""
    pairs: Iterable[Tuple[Any, Any]] = headers.items() if hasattr(headers, "items") else headers
    # A WSGI environment also contains other objects.
    return [pair for pair in pairs if isinstance(pair[1], (str, bytes, list, tuple))]


def _to_text(value: Any) -> str:
    """Returns a header's name or value as text."""
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _parse_service_signatures(header: Optional[str]) -> List[bytes]:
    """Parses signatures in the service's own form, `sha256=` and hexadecimal digits. Ignores other texts."""
    matches = [re.fullmatch(r"(?i)sha256=((?:[0-9a-f]{2})+)", part) for part in re.split(r"[\s,]+", header or "")]
    return [bytes.fromhex(match[1]) for match in matches if match]


def _parse_standard_signatures(header: str) -> List[bytes]:
    """Parses signatures in the form of Standard Webhooks, `v1,` and Base64. Ignores other versions."""
    signatures = [_decode_base64(part[3:]) for part in header.split() if part.startswith("v1,")]
    return [signature for signature in signatures if signature]


def _decode_standard_key(secret: str) -> Optional[bytes]:
    """Returns the key of a secret in the form of Standard Webhooks; None if it is not Base64."""
    return _decode_base64(secret[6:] if secret.startswith("whsec_") else secret)


def _decode_base64(text: str) -> Optional[bytes]:
    """Decodes Base64 with or without padding; None if it is malformed."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_signed(keys: Sequence[Optional[bytes]], signatures: Sequence[bytes], content: bytes) -> bool:
    """True if one of the signatures was made with one of the keys. The comparison takes constant time."""
    is_valid = False
    for key in keys:
        if not key:
            continue
        expected = hmac.new(key, content, hashlib.sha256).digest()
        for signature in signatures:
            is_valid = hmac.compare_digest(expected, signature) or is_valid
    return is_valid


def _parse_standard_time(header: Optional[str]) -> float:
    """Returns the time stamp in seconds; refuses the webhook if it is missing or malformed."""
    if header is None or not re.fullmatch(r"[0-9]{1,12}", header):
        _refuse("webhook-timestamp is missing or malformed")
    return float(header)


def _parse_service_time(header: Optional[str]) -> Optional[float]:
    """Returns the time stamp in seconds; None if it is absent, which this scheme allows."""
    if header is None:
        return None
    if not _ISO_TIME.fullmatch(header):
        _refuse("X-Service-Timestamp is malformed")
    text = re.sub(r"([+-]\d\d):?(\d\d)$", r"\1\2", header.replace("Z", "+0000"))
    date, zone = text[:-5], text[-5:]
    main, _, fraction = date.partition(".")
    try:
        form = "%Y-%m-%dT%H:%M:%S%z" if main.count(":") == 2 else "%Y-%m-%dT%H:%M%z"
        moment = datetime.datetime.strptime(main + zone, form)
    except ValueError:
        _refuse("X-Service-Timestamp is malformed")
    return moment.timestamp() + float(f"0.{fraction or 0}")
