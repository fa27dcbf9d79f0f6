"""Secrets of a study and values derived from them.

Participants' signed tokens, the organisers' two tokens, reproducible codes.

Tokens are signed with itsdangerous and sent only in the Authorization header. There are no cookies, so no other site
can act in a participant's name.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from itsdangerous import BadData, URLSafeTimedSerializer

from referee.errors import InputError, MalformedInput
from referee_lab.server.sessions.refusals import Problem

# Without 0, O, 1 and I. There are 32, which divides the 256 values of a byte: every letter is equally likely.
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
# Renewed at every return of a participant (`routes_participant`).
TOKEN_DAYS = 60


@dataclass(frozen=True, repr=False)
class Keys:
    """`signing` signs and derives; `view` opens the dashboard, `manage` also changes things.

    Never printed.
    """

    signing: str
    view: str
    manage: str

    def sign(self, study: str, payload: dict[str, Any]) -> str:
        return _make_signer(self.signing, study).dumps(payload)

    def read(self, study: str, token: str) -> dict[str, Any]:
        """Return the payload of a token that this study signed. Raises Problem for any other token."""
        try:
            payload, signed = _make_signer(self.signing, study).loads(token, return_timestamp=True)
        except BadData:
            raise Problem(401, "no-token", "Open the study's link again: this page is not known here.") from None
        if not isinstance(payload, dict):
            raise Problem(401, "no-token", "Open the study's link again: this page is not known here.")
        # Not by itsdangerous, which takes a token of the future for an old one: the machine's clock may have been set back.
        if time.time() - signed.timestamp() > TOKEN_DAYS * 86_400:
            raise Problem(401, "expired", "This link is too old. Open the study's link again.")
        return payload

    def right(self, token: str) -> Literal["manage", "view"] | None:
        """Return the right of an organiser's token, or None; compared in constant time."""
        # Headers may contain anything; undecodable ones count as a wrong token, not as an error.
        token_bytes = token.encode("utf-8", "surrogateescape")
        manages = hmac.compare_digest(token_bytes, self.manage.encode())
        views = hmac.compare_digest(token_bytes, self.view.encode())
        return "manage" if manages else "view" if views else None

    def derive_code(self, *about: str, letters: int = 12) -> str:
        """Return a code that is always the same for this key and `about`, in letters that are easy to read."""
        # Joined by a character that is in none of them: "ab", "c" and "a", "bc" are different things to derive a code
        # for.
        digest = hmac.new(self.signing.encode(), "\x1f".join(about).encode(), hashlib.sha256).digest()
        return "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:letters])

    def derive_withdrawal_code(self, study: str, participant: str) -> str:
        code = self.derive_code("withdraw", study, participant)
        return "-".join(code[i : i + 4] for i in range(0, len(code), 4))


@lru_cache(maxsize=256)
def _make_signer(signing: str, study: str) -> URLSafeTimedSerializer:
    """Return the signer of participants' tokens for one study."""
    # itsdangerous would take SHA-1. The study is in the salt: a token of one study opens no other, whatever the key.
    settings = {"digest_method": hashlib.sha256}
    return URLSafeTimedSerializer(signing, salt=f"participant of {study}", signer_kwargs=settings)


def hash_code(code: str) -> str:
    """Return the stored hash of a withdrawal code.

    Hyphens, spaces and case of the typed code do not matter.
    """
    return hashlib.sha256(re.sub(r"[\s-]", "", code).upper().encode("utf-8", "surrogatepass")).hexdigest()


def load_keys(path: Path) -> Keys:
    """Return the keys of a study, created on first use. Raises an error if other users can read the file."""
    if not path.exists():
        _write_keys(path)
    # Windows has no such bits.
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError("others on this machine can read the keys", where=path, remedy=f"chmod 600 {path}")
    try:
        values = tomllib.loads(path.read_text("utf-8"))
        return Keys(signing=values["signing_key"], view=values["view_token"], manage=values["manage_token"])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise MalformedInput(
            f"the keys cannot be read ({error})",
            where=path,
            remedy="restore the file; without its signing key participants cannot resume and codes change",
        ) from error


def _write_keys(path: Path) -> None:
    """Write a new file of keys that only its owner can read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = (
        "# Keep this file to yourself: its holder can read and change the data of this study.\n"
        f'signing_key = "{secrets.token_urlsafe(32)}"\n'
        f'view_token = "{secrets.token_urlsafe(24)}"\n'
        f'manage_token = "{secrets.token_urlsafe(24)}"\n'
    )
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    unfinished.unlink(missing_ok=True)
    # Readable by its owner alone from the first byte on; `chmod` afterwards would leave a moment.
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(written)
        file.flush()
        os.fsync(file.fileno())
    try:
        # Unlike a rename, a link fails where something is: of two processes that begin at once, both use the first
        # one's keys.
        os.link(unfinished, path)
    except FileExistsError:
        pass
    finally:
        unfinished.unlink()
