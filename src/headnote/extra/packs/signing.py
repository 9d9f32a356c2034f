"""Signatures of packs, made and checked by `ssh-keygen`.

People have keys for it, in files, agents and devices; hosting services publish the public ones; and a signature can be
checked without headnote. A library for the same would be one more thing to install, and could not use those keys.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from headnote.errors import CorruptIndex, HeadnoteError, MissingExtra, SettingsError, UnreadableSource

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

NAMESPACE = "headnote-pack"
"""Keeps a signature of something else from counting as one of a pack."""
_SIGNER = "publisher"
_SECONDS = 120.0
"""A key may ask for a passphrase, or wait for a finger."""
_ARMOUR = re.compile(rb"-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]+)-----END SSH SIGNATURE-----\s*")


def _workshop() -> TemporaryDirectory[str]:
    from tempfile import TemporaryDirectory  # late, as all that only signatures need: every command knows packs

    return TemporaryDirectory()


def sign(data: bytes, key: Path) -> bytes:
    """The signature of some bytes, by a private key or by the public half of one in an agent."""
    if not key.is_file():
        raise SettingsError("no such key", path=str(key), remedy="name a key that ssh-keygen -t ed25519 has made")
    with _workshop() as folder:
        message = Path(folder, "message")
        message.write_bytes(data)
        _run("sign", "-f", str(key.absolute()), "-n", NAMESPACE, str(message), failed=f"{key} cannot sign")
        return Path(folder, "message.sig").read_bytes()


def check_signature(data: bytes, signature: bytes, key: Path, pack: Path) -> None:
    """Raise unless the signature was made for this by that key, given as a file with one or more public keys."""
    if not signature:
        remedy = "get a signed one, or leave out --key"
        raise CorruptIndex("the pack is not signed", path=str(pack), remedy=remedy)
    try:
        lines = key.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        raise UnreadableSource("cannot be read as a public key", path=str(key), remedy="name a .pub file") from None
    keys = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    with _workshop() as folder:
        allowed, file = Path(folder, "allowed"), Path(folder, "signature")
        allowed.write_text("".join(f"{_SIGNER} {one}\n" for one in keys), encoding="utf-8")
        file.write_bytes(signature)
        arguments = ("-f", str(allowed), "-I", _SIGNER, "-n", NAMESPACE, "-s", str(file))
        try:
            _run("verify", *arguments, data=data, failed=f"{key} has not signed it")
        except SettingsError:
            remedy = "do not use it; get it again from where you trust"
            raise CorruptIndex(f"{key} has not signed this pack", path=str(pack), remedy=remedy) from None


def signer_of(signature: bytes) -> str:
    """The fingerprint of the key in a signature, as `ssh-keygen -l` shows it; empty without one that can be read."""
    armoured = _ARMOUR.fullmatch(signature)
    try:
        blob = base64.b64decode(armoured[1]) if armoured else b""
        # "SSHSIG", a version, and the public key with its length in front.
        (length,) = struct.unpack_from(">I", blob, 10)
        key = blob[14 : 14 + length]
    except (ValueError, struct.error):
        return ""
    return "SHA256:" + base64.b64encode(hashlib.sha256(key).digest()).decode().rstrip("=") if key else ""


def _run(action: str, *arguments: str, failed: str, data: bytes | None = None) -> None:
    import subprocess

    program = shutil.which("ssh-keygen")
    if program is None:
        raise MissingExtra("signatures need ssh-keygen", remedy="install OpenSSH 8.1 or newer")
    try:
        subprocess.run(
            [program, "-Y", action, *arguments], input=data, capture_output=True, check=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise HeadnoteError("ssh-keygen does not answer", remedy="try it by hand: ssh-keygen -Y sign") from None
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.decode("utf-8", "replace").split())
        raise SettingsError(failed, remedy=reason or "ssh-keygen refuses") from None
