"""A device that signs in with Authlib (RFC 8628): it shows a link, and asks until somebody has answered."""
import json
import os
import sys
import time

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session

issuer = os.environ["POSTERN_URL"]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
session = OAuth2Session(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"], scope="openid email tenant")
proof = {"client_id": os.environ["CLIENT_ID"], "client_secret": os.environ["CLIENT_SECRET"]}
started = requests.post(
    server["device_authorization_endpoint"], data={**proof, "scope": "openid email tenant"}
).json()


def ask():
    grant_type = "urn:ietf:params:oauth:grant-type:device_code"
    return session.fetch_token(server["token_endpoint"], grant_type=grant_type, device_code=started["device_code"])


try:
    ask()
    raise SystemExit("It got tokens before anybody has answered.")
except OAuthError as error:
    assert error.error == "authorization_pending", error.error
print(started["verification_uri_complete"], flush=True)
sys.stdin.readline()
time.sleep(started["interval"])
token = ask()
me = session.get(server["userinfo_endpoint"]).json()
try:
    ask()
    raise SystemExit("It got tokens twice.")
except OAuthError as error:
    assert error.error == "invalid_grant", error.error
print(json.dumps({"email": me["email"], "tenantId": me["tid"], "idToken": token["id_token"]}), flush=True)
