"""requests-oauthlib, as its documentation shows it: it knows no PKCE, and reads no ID token."""
import json
import os
import sys

import requests
from requests_oauthlib import OAuth2Session

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # The app is at http://localhost here.
issuer = os.environ["POSTERN_URL"]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
client_id, secret = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
session = OAuth2Session(
    client_id,
    scope=["openid", "email", "tenant", "offline_access"],
    redirect_uri=f"{os.environ['APP_URL']}/auth/callback",
)
url, _state = session.authorization_url(server["authorization_endpoint"])
print(url, flush=True)
answer = sys.stdin.readline().strip()
token = session.fetch_token(server["token_endpoint"], authorization_response=answer, client_secret=secret)
renewed = session.refresh_token(server["token_endpoint"], client_id=client_id, client_secret=secret)
me = session.get(server["userinfo_endpoint"]).json()
assert renewed["access_token"] != token["access_token"]
print(json.dumps({"email": me["email"], "tenantId": me["tid"], "idToken": renewed["id_token"]}), flush=True)
