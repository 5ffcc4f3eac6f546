"""Verifies access tokens of Postern. Needs the package `cryptography`: Python itself has no signatures."""
import base64
import hashlib
import json
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

TOLERANCE_SECONDS = 5


def verify(token, jwks, revoked, issuer, audience, now=None):
    """Returns the claims. Raises ValueError for a token that is not valid. `revoked` is what `read_revoked` returned."""
    now = time.time() if now is None else now
    claims = open_jws(token, "at+jwt", jwks)
    if claims["iss"] != issuer or claims["aud"] != audience:
        raise ValueError("for somebody else")
    if not claims["iat"] - TOLERANCE_SECONDS <= now < claims["exp"] + TOLERANCE_SECONDS:
        raise ValueError("expired, or not yet valid")
    sub, sid, tid = claims["sub"], claims["sid"], claims["tid"]
    prefixes = [prefix(text) for text in (f"s:{sid}:{tid}", f"u:{sub}", f"m:{tid}:{sub}", f"t:{tid}")]
    if any(revoked.get(entry, 0) >= claims["iat"] for entry in [*prefixes, "*"]):
        raise ValueError("revoked")
    if claims.get("second_factor_due"):
        raise ValueError("second factor required: answer 403")
    return claims


def read_revoked(jws, jwks, issuer, audience):
    """Returns the list of /.well-known/revoked: until when tokens are revoked, by prefix."""
    claims = open_jws(jws, "revoked+jwt", jwks)
    if claims["iss"] != issuer or claims["aud"] != audience:
        raise ValueError("for somebody else")
    return dict(claims["revoked"])


def open_jws(jws, typ, jwks):
    head, body, mac = jws.split(".")
    header = json.loads(decode(head))
    if header.get("typ") != typ or "crit" in header:
        raise ValueError("another type")
    wanted = (header.get("kid"), header.get("alg"))
    key = next((key for key in jwks["keys"] if (key["kid"], key["alg"]) == wanted), None)
    if key is None:
        raise ValueError("unknown key: fetch the keys again, at most every 30 seconds")
    check_signature(key, f"{head}.{body}".encode(), decode(mac))
    return json.loads(decode(body))


def check_signature(key, signed, signature):
    try:
        if key["alg"] == "EdDSA":
            ed25519.Ed25519PublicKey.from_public_bytes(decode(key["x"])).verify(signature, signed)
            return
        x, y, r, s = (int.from_bytes(part, "big") for part in
                      (decode(key["x"]), decode(key["y"]), signature[:32], signature[32:64]))
        public_key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        public_key.verify(utils.encode_dss_signature(r, s), signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise ValueError("bad signature") from None


def prefix(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:9]).decode()


def decode(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
