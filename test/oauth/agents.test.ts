/**
 * What the agents of the field send, as they send it. Their documents are in `receiver-worker.mjs`, as three projects
 * have recorded them (django-oauth/django-oauth-toolkit#1857, anomalyco/opencode#47737, lists in others' tests); each
 * registration and request names where it is known from.
 */
import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import { beforeAll, describe, expect, test } from "vitest";
import { answerOn, asksSignIn, Browser, forgetClientsKey, ISSUER, postTo, signInOn } from "../support/apps";
import { newAddress, type Person, signUpVerified } from "../support/client";
import { callUnder } from "../support/overrides";
import { type Api, newApi } from "../support/resources";

let api: Api;
let person: Person;
let chatGpt: CryptoKeyPair;
/** Signed in with the first agent. */
const browser = new Browser();
const noSlash = () => api.identifier;
const slash = () => `${api.identifier}/`;

beforeAll(async () => {
  forgetClientsKey();
  [api, person] = [await newApi({ unlisted: true }), await signUpVerified()];
  chatGpt = await generateKeyPair("RS256", { extractable: true });
  const keys = [{ ...(await exportJWK(chatGpt.publicKey)), kid: "1", alg: "RS256", use: "sig" }];
  await fetch("https://chatgpt.com/oauth/jwks.json", { method: "PUT", body: JSON.stringify({ keys }) });
});

interface Agent {
  /** The URL of its document. */
  id?: string;
  /** What it registers, where it has no document. */
  registers?: Record<string, unknown>;
  redirectUri: string;
  /** Its request besides client, redirect URL and PKCE. */
  asks?: [name: string, value: () => string][];
  /** The scopes that it gets. */
  gets?: string;
  /** The `resource` of the exchange and of the refresh; null: it sends none. */
  exchanges?: () => string | null;
  refreshes?: () => string | null;
  /** Whether it proves itself with its key. */
  hasKey?: boolean;
}

const READ = "notes.read offline_access";
const BOTH = "notes.read notes.write offline_access";
const asking = (scope: string, resource = noSlash): [string, () => string][] => [
  ["scope", () => scope],
  ["resource", resource],
];
const CODE = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
const NATIVE = { ...CODE, token_endpoint_auth_method: "none", application_type: "native" };
/** erp-mafia/accounted#2225: all three in one registration; which one it uses depends on where it runs. */
const CURSOR = {
  ...CODE,
  client_name: "Cursor",
  token_endpoint_auth_method: "none",
  redirect_uris: [
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "http://localhost:8787/callback",
  ],
};
/** microsoft/vscode: what its common `oauth` module registers. */
const VS_CODE = {
  ...NATIVE,
  client_name: "Visual Studio Code",
  client_uri: "https://code.visualstudio.com",
  grant_types: [...CODE.grant_types, "urn:ietf:params:oauth:grant-type:device_code"],
  redirect_uris: [
    "https://insiders.vscode.dev/redirect",
    "https://vscode.dev/redirect",
    "http://127.0.0.1/",
    "http://127.0.0.1:33418/",
  ],
  scope: "notes.read notes.write",
};
const CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata";
const CLAUDE_CALLBACK = "https://claude.ai/api/mcp/auth_callback";
const CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata";
const CODEX = "https://chatgpt.com/oauth/codex/client.json";

const AGENTS: [what: string, agent: Agent][] = [
  // anthropics/claude-ai-mcp#514.
  ["Claude", { id: CLAUDE, redirectUri: CLAUDE_CALLBACK, asks: asking("notes.read notes.write"), gets: BOTH }],
  // anthropics/claude-ai-mcp#453: what an API does not list is added to an empty text.
  ["Claude with a space in front", { id: CLAUDE, redirectUri: CLAUDE_CALLBACK, asks: asking(" offline_access") }],
  // What others' tests send in its name: a scope and a secret that it does not need.
  [
    "Claude by registration",
    {
      registers: {
        ...CODE,
        client_name: "Claude",
        redirect_uris: [CLAUDE_CALLBACK],
        token_endpoint_auth_method: "client_secret_post",
        scope: "claudeai",
      },
      redirectUri: CLAUDE_CALLBACK,
      asks: asking("notes.read"),
    },
  ],
  // anthropics/claude-code#37747: its document has no port, its request one.
  ["Claude Code", { id: CLAUDE_CODE, redirectUri: "http://localhost:53682/callback", asks: asking(READ) }],
  [
    "Claude Code at the other loopback host, whose library ends the URL of a host with a slash",
    { id: CLAUDE_CODE, redirectUri: "http://127.0.0.1:53682/callback", asks: asking(READ, slash), exchanges: slash },
  ],
  // elmohq/elmo#684.
  [
    "Claude Code by registration",
    {
      registers: { ...NATIVE, client_name: "Claude Code (notes)", redirect_uris: ["http://localhost:3118/callback"] },
      redirectUri: "http://localhost:3118/callback",
      asks: [...asking(READ), ["prompt", () => "consent"]],
    },
  ],
  [
    "ChatGPT, which proves itself with a key",
    {
      id: "https://chatgpt.com/oauth/client.json",
      redirectUri: "https://chatgpt.com/connector_platform_oauth_redirect",
      asks: asking(READ),
      hasKey: true,
    },
  ],
  // danielealbano/android-remote-control-mcp#166: another URL for each connection.
  [
    "ChatGPT by registration",
    {
      registers: { ...CODE, client_name: "ChatGPT", redirect_uris: ["https://chatgpt.com/connector/oauth/AbC-1_2"] },
      redirectUri: "https://chatgpt.com/connector/oauth/AbC-1_2",
      asks: asking("notes.read notes.write"),
      gets: BOTH,
    },
  ],
  // openai/codex#33403: its refresh names no resource.
  ["Codex", { id: CODEX, redirectUri: "http://127.0.0.1:57585/callback", asks: asking(READ), refreshes: () => null }],
  [
    "Codex, whose exchange names no resource either",
    {
      id: CODEX,
      redirectUri: "http://127.0.0.1:1455/callback",
      asks: asking(READ),
      exchanges: () => null,
      refreshes: () => null,
    },
  ],
  // elmohq/elmo#684.
  [
    "Codex by registration",
    {
      registers: { ...NATIVE, client_name: "Codex", redirect_uris: ["http://127.0.0.1:37819/callback/k2Tn"] },
      redirectUri: "http://127.0.0.1:37819/callback/k2Tn",
      asks: asking(READ),
      refreshes: () => null,
    },
  ],
  [
    "VS Code, whose state is base64",
    {
      id: "https://vscode.dev/oauth/client-metadata.json",
      redirectUri: "http://127.0.0.1:33418/",
      asks: [...asking("notes.read notes.write"), ["state", () => "gXVXo0/iMD8WMolDHKxSTg=="]],
      gets: BOTH,
    },
  ],
  [
    "VS Code in the browser",
    {
      id: "https://vscode.dev/oauth/client-metadata.json",
      redirectUri: "https://vscode.dev/redirect",
      asks: asking("notes.read"),
    },
  ],
  // microsoft/vscode#278512: the port that it prefers is taken.
  [
    "VS Code by registration",
    { registers: VS_CODE, redirectUri: "http://127.0.0.1:59656/", asks: asking("notes.read notes.write"), gets: BOTH },
  ],
  ...CURSOR.redirect_uris.map((redirectUri): [string, Agent] => [
    `Cursor at ${redirectUri}`,
    { registers: CURSOR, redirectUri, asks: asking("notes.read") },
  ]),
  // RFC 8707 lets a request name several; a library sends both spellings of one.
  [
    "an agent that names the API twice, and what we do not know",
    {
      id: CLAUDE_CODE,
      redirectUri: "http://localhost:1/callback",
      asks: [...asking(READ), ["resource", slash], ["access_type", () => "offline"], ["audience", noSlash]],
      refreshes: slash,
    },
  ],
];

const register = async (body: unknown) => callUnder({}, { path: "/oauth/register", body, ip: newAddress() });

/** The `client_id` of an agent, which registers if it has no document. */
async function idOf({ id, registers }: Agent): Promise<string> {
  if (id !== undefined) return id;
  const { status, body } = await register(registers);
  expect([status, body.token_endpoint_auth_method]).toEqual([201, "none"]);
  return body.client_id;
}

/** The page that asks the person, for a request as the agent sends it. */
async function askPerson(id: string, { redirectUri, asks = [] }: Agent, verifier: string) {
  const params = new URLSearchParams([
    ["response_type", "code"],
    ["client_id", id],
    ["code_challenge", await oauth.calculatePKCECodeChallenge(verifier)],
    ["code_challenge_method", "S256"],
    ["redirect_uri", redirectUri],
    ...asks.map(([name, value]): [string, string] => [name, value()]),
  ]);
  if (!params.has("state")) params.set("state", oauth.generateRandomState());
  const { page } = await browser.follow(`/oauth/authorize?${params}`);
  if (!asksSignIn(page.html)) return { params, page };
  const signed = await signInOn(browser, page.html, person);
  return { params, page: (await browser.follow(signed.next ?? "/nowhere")).page };
}

/** The field of a form; none for null. */
const field = (name: string, value: string | null) => (value === null ? {} : { [name]: value });

async function proofOf(id: string, { hasKey = false }: Agent): Promise<Record<string, string>> {
  if (!hasKey) return { client_id: id };
  const claims = { iss: id, sub: id, aud: `${ISSUER}/oauth/token`, jti: crypto.randomUUID() };
  const jwt = new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "1" }).setExpirationTime("1m");
  return {
    client_id: id,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await jwt.sign(chatGpt.privateKey),
  };
}

test.each(AGENTS)("%s gets in, and renews", async (_what, agent) => {
  const { redirectUri, gets = READ, exchanges = noSlash, refreshes = exchanges } = agent;
  const id = await idOf(agent);
  const verifier = oauth.generateRandomCodeVerifier();
  const { params, page } = await askPerson(id, agent, verifier);
  // Whoever has allowed it all before goes on by a click.
  const { next } = page.html.includes('name="ask"') ? await answerOn(browser, page.html, "allow") : page;
  const link = next ?? page.html.match(/href="([^"]*[?&;]code=[^"]*)"/)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(link.startsWith(`${redirectUri}?`)).toBe(true);
  const { searchParams } = new URL(link);
  expect([searchParams.get("state"), searchParams.get("iss")]).toEqual([params.get("state"), ISSUER]);
  const exchange = { grant_type: "authorization_code", code: searchParams.get("code") ?? "", code_verifier: verifier };
  const form = { ...exchange, redirect_uri: redirectUri, ...field("resource", exchanges()) };
  const { status, body } = await postTo("/oauth/token", { ...form, ...(await proofOf(id, agent)) });
  const claims = decodeJwt(String(body["access_token"]));
  const { aud, client_id: clientId, scope } = claims;
  expect([status, aud, clientId, `${scope} offline_access`]).toEqual([200, api.identifier, id, gets]);
  const refresh = { grant_type: "refresh_token", refresh_token: String(body["refresh_token"]) };
  const again = { ...refresh, ...field("resource", refreshes()), ...(await proofOf(id, agent)) };
  const renewed = await postTo("/oauth/token", again);
  expect([renewed.status, decodeJwt(String(renewed.body["access_token"])).aud]).toEqual([200, api.identifier]);
});

describe("a page that asks", () => {
  test.each([
    [CURSOR.redirect_uris[0] ?? "", "cursor:"],
    [CURSOR.redirect_uris[1] ?? "", "www.cursor.com"],
    [CURSOR.redirect_uris[2] ?? "", "localhost:8787"],
  ])("names the host that gets the answer, where a registration has several: %s", async (redirectUri, host) => {
    const registers = { ...CURSOR, client_name: "Claude", redirect_uris: [CLAUDE_CALLBACK, ...CURSOR.redirect_uris] };
    const agent = { registers, redirectUri, asks: asking("notes.read") };
    const { page } = await askPerson(await idOf(agent), agent, oauth.generateRandomCodeVerifier());
    expect(page.html).not.toContain("claude.ai");
    const [first, named] = [page.html.indexOf(host), page.html.indexOf(">Claude<")];
    expect([first >= 0, first < named]).toEqual([true, true]);
  });

  test("shows no logo of an app that says of itself which it has", async () => {
    const agent = {
      redirectUri: "http://127.0.0.1:33418/",
      asks: [...asking("notes.read"), ["prompt", () => "consent"]],
    };
    const id = "https://vscode.dev/oauth/client-metadata.json";
    const { page } = await askPerson(id, agent as Agent, oauth.generateRandomCodeVerifier());
    expect(page.html).toContain("Visual Studio Code");
    expect([
      page.html.includes("code-stable"),
      page.headers.get("content-security-policy")?.includes("visualstudio"),
    ]).toEqual([false, false]);
  });
});
