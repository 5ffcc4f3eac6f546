/**
 * The subscribers of the tests, as a real Worker. The first path segment chooses the behaviour (`/200`, `/500`,
 * `/fail-2`,
 * `/after-429-30`, `/flood-5-2`, `/gone-2`, `/abort`, `/redirect`, `/hang`, `/bodyhang`, `/slow-300`, `/big`,
 * `/binary`, `/echo`, `/headers-503`), the second names an inbox. `GET http://inbox/<name>` returns what an inbox received. `/json`
 * answers what its second segment has, in base64.
 */
import { DurableObject } from "cloudflare:workers";

/** The providers have a Worker of their own: provider-worker.mjs. */
const PROVIDERS =
  /^accounts\.google\.com$|^(oauth2|www)\.googleapis\.com$|^login\.microsoftonline\.com$|^(api\.)?github\.com$|\.issuer\.example$/;

/** Both resolvers have a Worker of their own too: resolver-worker.mjs. */
const RESOLVERS = /^(dns\.(one|two)\.example|zone)$/;

export class Inbox extends DurableObject {
  async add(delivery) {
    const received = await this.list();
    received.push(delivery);
    await this.ctx.storage.put("received", received);
    return received.length;
  }
  async list() {
    return (await this.ctx.storage.get("received")) ?? [];
  }
}

/** The headers of an answer: credentials, what only browsers read, one that repeats a header, and long ones. */
const headersTo = (request) => [
  ["Set-Cookie", "session=1"],
  ["X-Auth-Token", "abc"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["X-Request-Id", "req_1"],
  ["Location", "https://login.example/start?code=abc"],
  ["WWW-Authenticate", 'Bearer error="invalid_token"'],
  ["X-Seen", request.headers.get("authorization") ?? "nothing"],
  ["X-Long", "x".repeat(5_000)],
  ...Array.from({ length: 20 }, (_, number) => [`X-More-${number}`, "y".repeat(100)]),
];

/** Returns a body of which only the first part arrives. */
function neverEnding() {
  let parts = 0;
  return new ReadableStream({
    async pull(controller) {
      if (parts++ > 0) await scheduler.wait(60_000);
      controller.enqueue(new TextEncoder().encode(parts === 1 ? "first part" : "too late"));
    },
  });
}

/** The counts of each flood of requests, by inbox: an object could not hold all the bodies. */
const floods = new Map();
/** So many requests after the first refusal may have begun before it was known: two runs begin five each. */
const BEGUN_BEFORE = 10;

/**
 * Answers 429 with Retry-After to the first `refused` requests and 200 to the later ones, each after a while, and
 * counts them.
 */
async function flood(name, refused, retryAfter) {
  const counts = floods.get(name) ?? { requests: 0, inFlight: 0, sinceRefusal: null, mostInFlight: 0 };
  floods.set(name, counts);
  const request = ++counts.requests;
  counts.inFlight += 1;
  if (counts.sinceRefusal !== null) {
    counts.sinceRefusal += 1;
    if (counts.sinceRefusal > BEGUN_BEFORE) counts.mostInFlight = Math.max(counts.mostInFlight, counts.inFlight);
  }
  await scheduler.wait(20);
  counts.inFlight -= 1;
  if (request > refused) return new Response("done");
  counts.sinceRefusal ??= 0;
  return new Response("too many", { status: 429, headers: { "Retry-After": retryAfter } });
}

/** How many requests each slow inbox has in progress. */
const inProgress = new Map();

/**
 * Adds a request to the inbox and answers it after a while. Also adds how many requests, this one included, are in
 * progress: a sender that waits for an answer finds it counted out.
 */
async function slow(name, ms, add) {
  const count = (inProgress.get(name) ?? 0) + 1;
  inProgress.set(name, count);
  try {
    await add({ inProgress: count });
    await scheduler.wait(ms);
  } finally {
    inProgress.set(name, inProgress.get(name) - 1);
  }
  return new Response("slow");
}

/** For each Turnstile token: how often it was verified, and the idempotency key that used it up. */
const tokens = new Map();

/**
 * Answers as Turnstile does. A documented test key decides by itself; with any other key the token decides.
 * `<hostname> <action> <anything>` is valid once. With `lost` in front, the first answer is lost and the token is valid
 * again.
 * `down`, `hang`, `html`, `huge` and `secret` are faults.
 */
async function siteverify(request) {
  const { secret = "", response = "", idempotency_key: key = "" } = await request.json();
  const [kind, ...rest] = response.split(" ");
  const token = tokens.get(response) ?? { requests: 0, spentWith: null };
  tokens.set(response, token);
  token.requests += 1;
  const refusal = (code, more = {}) => Response.json({ success: false, "error-codes": [code], messages: [], ...more });
  if (!/^[0-9a-f-]{36}$/.test(key)) return refusal("bad-request");
  const testing = { metadata: { result_with_testing_key: true } };
  const now = { success: true, "error-codes": [], challenge_ts: new Date().toISOString() };
  if (/^1x0+AA$/.test(secret)) return Response.json({ ...now, hostname: "example.com", ...testing });
  if (/^2x0+AA$/.test(secret)) return refusal("invalid-input-response", testing);
  if (/^3x0+AA$/.test(secret)) return refusal("timeout-or-duplicate", testing);
  if (kind === "hang") await scheduler.wait(60_000);
  if (kind === "down") return refusal("internal-error");
  if (kind === "html") return new Response("<html>", { status: 502 });
  if (kind === "huge") return new Response("x".repeat(1024 * 1024));
  if (kind === "secret") return refusal("invalid-input-secret");
  if (kind === "bad") return refusal("invalid-input-response");
  if (token.spentWith !== null && token.spentWith !== key) return refusal("timeout-or-duplicate");
  const isLost = kind === "lost" && token.spentWith === null;
  token.spentWith = key;
  if (isLost) return new Response("lost", { status: 502 });
  const [hostname, action] = kind === "lost" ? rest : [kind, ...rest];
  return Response.json({ ...now, hostname, action, cdata: "" });
}

const CODE = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
const PUBLIC = { ...CODE, token_endpoint_auth_method: "none" };
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";

/** What the apps of the field publish of themselves, by their `client_id` without the scheme; see `agents.test.ts`. */
const RECORDED = {
  "claude.ai/oauth/mcp-oauth-client-metadata": {
    ...PUBLIC,
    client_name: "Claude",
    client_uri: "https://claude.ai",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
  },
  "claude.ai/oauth/claude-code-client-metadata": {
    ...PUBLIC,
    client_name: "Claude Code",
    client_uri: "https://claude.ai",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  },
  "chatgpt.com/oauth/client.json": {
    ...CODE,
    client_name: "ChatGPT",
    client_uri: "https://chatgpt.com/",
    logo_uri: "https://persistent.oaistatic.com/sonic/misc/openai-logo.png",
    redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
    token_endpoint_auth_method: "private_key_jwt",
    token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    token_endpoint_auth_signing_alg: "RS256",
    jwks_uri: "https://chatgpt.com/oauth/jwks.json",
  },
  "chatgpt.com/oauth/codex/client.json": {
    ...PUBLIC,
    client_name: "Codex",
    redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback"],
  },
  "vscode.dev/oauth/client-metadata.json": {
    client_name: "Visual Studio Code",
    logo_uri: "https://code.visualstudio.com/assets/branding/code-stable.png",
    client_uri: "https://vscode.dev/product",
    grant_types: [...CODE.grant_types, DEVICE],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "native",
    redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
  },
};

/** The keys that a test has said are ChatGPT's. */
let keysOfChatGpt = "";

async function keys(request) {
  if (request.method === "PUT") keysOfChatGpt = await request.text();
  return new Response(keysOfChatGpt, { headers: { "content-type": "application/json" } });
}

/** How often each document was asked for. */
const asked = new Map();

/** What the host says of the app `url`; the first word of its name is what is special about it. */
function documentOf(url) {
  const { href, host, hostname, pathname } = url;
  asked.set(href, (asked.get(href) ?? 0) + 1);
  const recorded = RECORDED[`${host}${pathname}`];
  if (recorded) return Response.json({ client_id: href, ...recorded });
  const own = { client_id: href, client_name: "Helper", redirect_uris: [`https://${host}/callback`] };
  const changed = {
    named: { client_id: "https://other.apps.example/app.json" },
    foreign: { redirect_uris: ["https://evil.example/callback"] },
    secret: { token_endpoint_auth_method: "client_secret_post" },
    huge: { padding: "x".repeat(5_200) },
    keys: { token_endpoint_auth_method: "private_key_jwt", jwks_uri: "https://other.apps.example/jwks.json" },
    nameless: { client_name: "" },
    bidi: { client_name: "\u202egood" },
    changing: { redirect_uris: [`https://${host}/callback`, `https://${host}/${asked.get(href)}`] },
  }[hostname.split(/[-.]/)[0]];
  if (hostname.startsWith("moved")) return Response.redirect(`https://good.apps.example${pathname}`, 302);
  if (hostname.startsWith("html"))
    return new Response(JSON.stringify(own), { headers: { "content-type": "text/html" } });
  if (hostname.startsWith("missing")) return Response.json(own, { status: 404 });
  return Response.json({ ...own, ...changed });
}

/** What an API of a tenant says of itself (RFC 9728); the first word of its host says what is special about it. */
function apiOf({ hostname, pathname, host }) {
  const path = pathname.replace("/.well-known/oauth-protected-resource", "");
  if (path === pathname || hostname.startsWith("missing")) return new Response(null, { status: 404 });
  if (hostname.startsWith("moved")) return Response.redirect(`https://good.apis.example${pathname}`, 302);
  const own = { resource: `https://${host}${path}`, authorization_servers: ["https://postern.test"] };
  const changed = {
    named: { resource: "https://other.apis.example/" },
    foreign: { authorization_servers: ["https://evil.example"] },
    silent: { authorization_servers: undefined },
    huge: { padding: "x".repeat(5_200) },
  }[hostname.split(/[-.]/)[0]];
  return Response.json({ ...own, ...changed });
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const inboxOf = (name) => env.INBOX.get(env.INBOX.idFromName(name));
    if (PROVIDERS.test(url.hostname)) return env.PROVIDERS.fetch(request);
    if (RESOLVERS.test(url.hostname)) return env.RESOLVERS.fetch(request);
    if (url.hostname === "inbox") return Response.json(await inboxOf(url.pathname.slice(1)).list());

    if (url.hostname === "challenges.cloudflare.com") return siteverify(request);
    if (url.hostname === "captcha") return Response.json(tokens.get(decodeURIComponent(url.pathname.slice(1))) ?? null);

    if (url.href === "https://chatgpt.com/oauth/jwks.json") return keys(request);
    if (/\.apps\.example$|^(claude\.ai|chatgpt\.com|vscode\.dev)$/.test(url.hostname)) return documentOf(url);

    if (url.hostname.endsWith(".apis.example")) return apiOf(url);

    if (url.hostname === "floods") return Response.json(floods.get(url.pathname.slice(1)) ?? null);

    const [, behaviour, name] = url.pathname.split("/");
    const [kind, argument, second] = behaviour.split("-");
    const json = { "Content-Type": "application/jwk-set+json" };
    if (kind === "json") return new Response(atob(decodeURIComponent(name)), { headers: json });
    if (kind === "flood") {
      await request.text();
      return flood(name, Number(argument), second);
    }
    const add = async (more) =>
      inboxOf(name).add({
        url: request.url,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        at: Date.now(),
        ...more,
      });
    if (kind === "slow") return slow(name, Number(argument), add);
    const count = await add();
    switch (kind) {
      case "echo":
        return Response.json(Object.fromEntries(request.headers));
      case "headers":
        return new Response("", { status: Number(argument), headers: headersTo(request) });
      case "fail":
        return new Response("later", { status: count <= Number(argument) ? 500 : 200 });
      case "after":
        return new Response("busy", { status: Number(argument), headers: { "Retry-After": second } });
      case "gone":
        return new Response("gone", { status: count <= Number(argument) ? 410 : 200 });
      case "abort":
        return new Response("no more", { status: 500, headers: { "webhook-delivery": "abort" } });
      case "redirect":
        return Response.redirect(`http://elsewhere.example/200/${name}-redirected`, 302);
      case "hang":
        await scheduler.wait(60_000);
        return new Response("too late");
      case "bodyhang":
        return new Response(neverEnding(), { status: Number(argument ?? 200) });
      case "binary":
        return new Response(new Uint8Array([0x6f, 0x6b, 0xff, 0xfe, 0x00, 0x21]));
      case "zeros":
        return new Response(new Uint8Array(16_384));
      case "big":
        return new Response("x".repeat(100_000));
      default:
        return new Response(kind === "204" ? null : `answer ${kind}`, { status: Number(kind) });
    }
  },
};
