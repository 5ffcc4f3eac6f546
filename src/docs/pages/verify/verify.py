import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(body: bytes, headers: dict[str, str], *secrets: str) -> bool:
    """Whether a delivery is genuine. `body` is the raw bytes; `headers` has lower-case names."""
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not delivery_id or not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{delivery_id}.{timestamp}.".encode() + body
    given = headers.get("webhook-signature", "").split(" ")
    for secret in secrets:
        digest = hmac.new(key_of(secret), signed, hashlib.sha256).digest()
        expected = b"v1," + base64.b64encode(digest)
        if any(hmac.compare_digest(expected, signature.encode()) for signature in given):
            return True
    return False


def key_of(secret: str) -> bytes:
    """A `whsec_` secret holds the key in base64; any other secret is the key itself."""
    if secret.startswith("whsec_"):
        return base64.b64decode(secret.removeprefix("whsec_"))
    return secret.encode()
