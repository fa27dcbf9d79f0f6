"""Links that Prolific signed ("secure external URL"): a JSON Web Token (RFC 7519) with the ids of the link.

https://docs.prolific.com/api-reference/well-known-endpoints/get-study-jwks says what has to be checked: the signature
(RS256) by the public key of that name, the expiry, the domain, and the ids.
"""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Any
from urllib.parse import urlsplit

import httpx

from referee_lab.server.sessions.refusals import Problem

TOKEN, IDS = "prolific_token", ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
ISSUER = "https://www.prolific.com"
KEYS_PATH = "/.well-known/study/jwks.json"
# Prolific asks to fetch its keys at least daily; a key that is not known is asked for again, but not for every request.
KEYS_SECONDS, AGAIN_SECONDS, PATIENCE_SECONDS = 86_400.0, 60.0, 10.0
# Clocks differ a little.
LEEWAY_SECONDS = 60.0
# What PKCS #1 (RFC 8017, section 9.2) puts before a digest of SHA-256.
SHA256_HEAD = bytes.fromhex("3031300d060960864801650304020105000420")
LEAST_KEY_BYTES = 256


@dataclass(slots=True)
class SignedLinks:
    """Checks the links of Prolific, with its public keys in memory."""

    address: str
    clock: Callable[[], float] = time.time
    _keys: dict[str, tuple[int, int]] = field(default_factory=dict)
    _fetched: float | None = None

    async def check(self, ids: Mapping[str, str], host: str) -> bool:
        """Return whether the signed link is still fresh. Raises Problem for a link that Prolific did not sign.

        An expired link is for participants who are known already.
        """
        head, claims, signed, signature = _split_token(ids.get(TOKEN, ""))
        if head.get("alg") != "RS256" or not _is_signature(
            signature, signed, await self._get_key(str(head.get("kid")))
        ):
            raise _make_refusal()
        theirs, expiry = claims.get("prolific"), claims.get("exp")
        if not isinstance(theirs, dict) or any(str(theirs.get(name, "")) != ids.get(name, "") for name in IDS):
            raise _make_refusal()
        audience = claims.get("aud")
        hosts = {_get_host(str(name)) for name in (audience if isinstance(audience, list) else [audience])}
        if claims.get("iss") != ISSUER or _get_host(host) not in hosts or not isinstance(expiry, int | float):
            raise _make_refusal()
        return expiry + LEEWAY_SECONDS >= self.clock()

    async def _get_key(self, name: str) -> tuple[int, int]:
        """Return a public key by its name, as modulus and exponent."""
        age = None if self._fetched is None else self.clock() - self._fetched
        if age is None or age > KEYS_SECONDS or (name not in self._keys and age > AGAIN_SECONDS):
            await self._fetch_keys()
        if name not in self._keys:
            raise _make_refusal()
        return self._keys[name]

    async def _fetch_keys(self) -> None:
        """Fetch the public keys; if that fails, keep the earlier ones or raise Problem."""
        try:
            async with httpx.AsyncClient(base_url=self.address, timeout=PATIENCE_SECONDS) as client:
                reply = (await client.get(KEYS_PATH)).raise_for_status().json()
            self._keys = {
                str(k["kid"]): (_decode_number(k["n"]), _decode_number(k["e"]))
                for k in reply["keys"]
                if k["kty"] == "RSA"
            }
            self._fetched = self.clock()
        except (httpx.HTTPError, ValueError, KeyError, TypeError):
            if not self._keys:
                raise Problem(
                    503, "no-keys", "Your link cannot be checked at this moment. This page tries again."
                ) from None


def _make_refusal() -> Problem:
    """Return the refusal of a link without a valid signature."""
    return Problem(403, "no-id", "Open the study from its page at Prolific: this link was not made there for you.")


def _split_token(token: str) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Return header, claims, signed bytes and signature of a token. Raises Problem for any other text."""
    head, _, rest = token.partition(".")
    claims, _, signature = rest.partition(".")
    try:
        parsed = [json.loads(_decode_bytes(part)) for part in (head, claims)]
        if not all(isinstance(part, dict) for part in parsed):
            raise _make_refusal()
        return parsed[0], parsed[1], f"{head}.{claims}".encode("ascii"), _decode_bytes(signature)
    except (ValueError, RecursionError):
        raise _make_refusal() from None


def _is_signature(signature: bytes, signed: bytes, key: tuple[int, int]) -> bool:
    """Return whether a signature is that of a key, by RSASSA-PKCS1-v1_5 (RFC 8017, section 8.2.2)."""
    modulus, exponent = key
    length = (modulus.bit_length() + 7) // 8
    value = int.from_bytes(signature)
    if length < LEAST_KEY_BYTES or len(signature) != length or value >= modulus:
        return False
    # The whole block is made and compared: nothing of what the signature says about itself is read.
    tail = SHA256_HEAD + sha256(signed).digest()
    expected = b"\x00\x01" + b"\xff" * (length - len(tail) - 3) + b"\x00" + tail
    return compare_digest(pow(value, exponent, modulus).to_bytes(length), expected)


def _decode_bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _decode_number(text: str) -> int:
    return int.from_bytes(_decode_bytes(text))


def _get_host(address: str) -> str:
    """Return the host of an address or of a Host header, without its port."""
    return (urlsplit(address if "//" in address else f"//{address}").hostname or "").casefold()
