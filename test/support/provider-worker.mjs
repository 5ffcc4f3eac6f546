/**
 * Google, GitHub, Microsoft and OIDC issuers, as the tests need them. The authorization code is the JSON of what the
 * provider does next:
 * `claims` of the ID token (`header` and `signedBy` falsify it), `userinfo`, `user` and `emails` of GitHub, `status` of
 * the token endpoint.
 */

const text = (value) => new TextEncoder().encode(value);
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const readable = (code) => JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(code, { alphabet: "base64url" })));

const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const newKey = () =>
  crypto.subtle.generateKey({ ...RSA, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
    "sign",
    "verify",
  ]);
/** A key of the provider ("own") and one of somebody else. Plain data, because requests share them. */
const pairs = new Map();
async function keyOf(name) {
  const pair = pairs.get(name) ?? (await newPair());
  // A request at the same time may have been faster.
  if (!pairs.has(name)) pairs.set(name, pair);
  return pairs.get(name);
}

async function newPair() {
  const { publicKey, privateKey } = await newKey();
  return {
    publicJwk: await crypto.subtle.exportKey("jwk", publicKey),
    privateJwk: await crypto.subtle.exportKey("jwk", privateKey),
  };
}

async function idToken({ claims, header = {}, signedBy = "own" }) {
  const content = [{ alg: "RS256", kid: "key-1", ...header }, claims];
  const signed = content.map((part) => base64url(text(JSON.stringify(part)))).join(".");
  if (signedBy === "nobody") return `${signed}.`;
  if (signedBy === "the public key" || signedBy === "the secret") {
    const { n } = (await keyOf("own")).publicJwk;
    const secret = text(signedBy === "the secret" ? "a-secret" : n);
    const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return `${signed}.${base64url(await crypto.subtle.sign("HMAC", key, text(signed)))}`;
  }
  const { privateJwk } = await keyOf(signedBy);
  const key = await crypto.subtle.importKey("jwk", privateJwk, RSA, false, ["sign"]);
  return `${signed}.${base64url(await crypto.subtle.sign(RSA, key, text(signed)))}`;
}

/** What clients have pushed (RFC 9126), by its name. */
const pushed = new Map();

async function push(request) {
  const form = Object.fromEntries(await request.formData());
  if (form.client_secret !== "a-secret" || form.request_uri) return refused("invalid_client");
  const name = `urn:ietf:params:oauth:request_uri:${crypto.randomUUID()}`;
  pushed.set(name, form);
  return Response.json({ request_uri: name, expires_in: 60 }, { status: 201 });
}

const refused = (name) => Response.json({ error: name, error_description: "x\ny" }, { status: 400 });

async function token(request) {
  const form = await request.formData();
  if (new URL(request.url).hostname.startsWith("basic.")) {
    const [, given = ""] = (request.headers.get("authorization") ?? "").split("Basic ");
    // RFC 6749 section 2.3.1: both parts are form-encoded.
    if (decodeURIComponent(atob(given)) !== "an-id:a-secret") return refused("invalid_client");
  } else if (form.get("client_id") !== "an-id" || form.get("client_secret") !== "a-secret") {
    return refused("invalid_client");
  } else if (request.headers.has("authorization")) return refused("invalid_request");
  const [code, verifier] = [form.get("code") ?? "", form.get("code_verifier") ?? ""];
  const { status = 200, challenge, body, ...does } = readable(code);
  if (base64url(await crypto.subtle.digest("SHA-256", text(verifier))) !== challenge) return refused("invalid_grant");
  if (!/^https:\/\/postern\.test\/api\/v1\/auth\/(oauth|sign-on)\//.test(form.get("redirect_uri")))
    return refused("invalid_grant");
  if (status !== 200) return Response.json({ error: "server_error" }, { status });
  if (body !== undefined) return new Response(body, { headers: { "content-type": "application/json" } });
  const id = does.claims ? { id_token: await idToken(does) } : {};
  return Response.json({ access_token: code, token_type: "bearer", ...id });
}

/** The keys of the hosts that have shown their first one: with a second one, that alone, or none to be had. */
const LATER = { rotating: ["own", "foreign"], retiring: ["foreign"], failing: [] };
const seen = new Set();

async function keySet({ hostname }) {
  const later = LATER[hostname.split(".")[0]] ?? ["own"];
  const names = seen.has(hostname) ? later : ["own"];
  seen.add(hostname);
  if (names.length === 0) return new Response("down", { status: 503 });
  const keys = names.map(async (name) => {
    const kid = name === "own" ? "key-1" : "key-2";
    return { ...(await keyOf(name)).publicJwk, kid, use: "sig", alg: "RS256" };
  });
  return Response.json({ keys: await Promise.all(keys) });
}

function discovery({ origin, hostname, pathname }) {
  if (hostname.startsWith("moved.") && !pathname.startsWith("/there/")) {
    return Response.redirect(`${origin}/there/.well-known/openid-configuration`, 302);
  }
  if (hostname.startsWith("down.")) return new Response("down", { status: 503 });
  if (hostname.startsWith("huge.")) return Response.json({ issuer: origin, padding: "x".repeat(300_000) });
  const issuers = { other: "https://elsewhere.example", slashed: `${origin}/`, google: "https://accounts.google.com" };
  return Response.json({
    issuer: issuers[hostname.split(".")[0]] ?? origin,
    authorization_endpoint: hostname.startsWith("script.") ? "javascript:alert(1)" : `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    userinfo_endpoint: `${origin}/userinfo`,
    id_token_signing_alg_values_supported: ["RS256", "HS256"],
    ...(hostname.startsWith("pushing.")
      ? { pushed_authorization_request_endpoint: `${origin}/push`, require_pushed_authorization_requests: true }
      : {}),
    ...(hostname.startsWith("basic.") ? { token_endpoint_auth_methods_supported: ["client_secret_basic"] } : {}),
  });
}

async function answer(request) {
  const url = new URL(request.url);
  if (url.hostname.startsWith("hang.")) {
    await scheduler.wait(60_000);
    return new Response("too late");
  }
  const { pathname } = url;
  if (pathname === "/made-keys") {
    await Promise.all(["own", "foreign"].map(keyOf));
    return new Response(null, { status: 204 });
  }
  if (pathname.endsWith("/.well-known/openid-configuration")) return discovery(url);
  if (/\/(jwks|certs|keys)$/.test(pathname)) return keySet(url);
  if (pathname === "/push") return push(request);
  if (pathname === "/authorize") return Response.json(pushed.get(url.searchParams.get("request_uri")) ?? null);
  if (/\/(token|access_token)$/.test(pathname)) return token(request);
  const held = request.headers.get("authorization")?.replace("Bearer ", "");
  const { user, emails, userinfo } = readable(held ?? "");
  if (!request.headers.get("user-agent")) return new Response("who are you?", { status: 403 });
  if (pathname === "/userinfo") return Response.json(userinfo);
  if (pathname === "/user") return Response.json(user);
  return Response.json(emails);
}

export default { fetch: answer };
