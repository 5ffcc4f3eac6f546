"""Publishes for a customer of the shop. Needs nothing but Python."""
import json
import os
import urllib.request

POSTERN_URL = os.environ.get("POSTERN_URL", "http://localhost:8787")
TIMEOUT_SECONDS = 30


def publish(customer_id, event_type, payload, idempotency_key):
    """Returns the event's id and how many subscriptions get it. Raises urllib.error.HTTPError for a refusal."""
    request = urllib.request.Request(
        f"{POSTERN_URL}/api/v1/events",
        data=json.dumps({"type": event_type, "payload": payload}).encode(),
        headers={
            "Authorization": f"Bearer {os.environ['PLATFORM_KEY']}",
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
            "Postern-Tenant": f"ext:{customer_id}",
        },
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        event = json.load(response)["data"]
    return event["id"], event["deliveries"]
