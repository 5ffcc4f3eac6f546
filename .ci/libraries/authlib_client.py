"""Authlib with requests, as its documentation shows it: no PKCE unless it is told so."""
import json
import os
import sys
import time

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oidc.core import CodeIDToken

issuer = os.environ["POSTERN_URL"]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
client_id = os.environ["CLIENT_ID"]
session = OAuth2Session(
    client_id,
    os.environ["CLIENT_SECRET"],
    scope="openid email tenant offline_access",
    redirect_uri=f"{os.environ['APP_URL']}/auth/callback",
)
nonce = generate_token()
url, state = session.create_authorization_url(server["authorization_endpoint"], nonce=nonce)
print(url, flush=True)
answer = sys.stdin.readline().strip()
token = session.fetch_token(server["token_endpoint"], authorization_response=answer, state=state)

keys = JsonWebKey.import_key_set(requests.get(server["jwks_uri"]).json())
options = {"iss": {"values": [issuer]}, "aud": {"values": [client_id]}}
claims = jwt.decode(
    token["id_token"], keys, claims_cls=CodeIDToken, claims_options=options, claims_params={"nonce": nonce}
)
claims.validate()
renewed = session.refresh_token(server["token_endpoint"], refresh_token=token["refresh_token"])
me = session.get(server["userinfo_endpoint"]).json()
assert renewed["access_token"] != token["access_token"] and me["sub"] == claims["sub"]

# A program of the app, which proves itself with a key, and gets a token for one API in one tenant.
machine = OAuth2Session(
    os.environ["MACHINE_ID"],
    os.environ["MACHINE_KEY"],
    # As it comes, an assertion lasts an hour, and is refused.
    token_endpoint_auth_method=PrivateKeyJWT(server["token_endpoint"], claims={"exp": int(time.time()) + 60}),
)
machine.fetch_token(
    server["token_endpoint"],
    grant_type="client_credentials",
    resource=f"{issuer}/api/v1",
    scope="webhook.read",
    tenant=claims["tid"],
)
assert machine.get(f"{issuer}/api/v1/webhooks").status_code == 200
assert machine.get(f"{issuer}/api/v1/auth/me").status_code == 401
print(json.dumps({"email": me["email"], "tenantId": claims["tid"], "idToken": renewed["id_token"]}), flush=True)
