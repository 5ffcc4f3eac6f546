/**
 * `npm run mcp` as a reader starts it, with an agent that uses the library of the Model Context Protocol: it finds the
 * way by itself, lists the notes, asks for more when it first adds one, and renews its tokens. With `--next`, agent and
 * server use the library's next line, `@modelcontextprotocol/client` and `server` 2, which are installed for this, and
 * the agent is registered and binds its tokens to a key (DPoP).
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as authorization from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { freePort } from "../test/browser/dev-server.ts";
import { Visitor } from "../test/sdk/visitor.ts";

const TIMEOUT_MS = 240_000;
const POLL_MS = 50;
const [EMAIL, PASSWORD] = ["you@example.com", "correct horse battery staple"];
const CALLBACK = "http://127.0.0.1:1455/callback";

function check(what: string, ok: boolean, detail: unknown = ""): void {
  if (!ok) throw new Error(`mcp: ${what} ${JSON.stringify(detail)}`);
  console.log(`mcp: ${what}`);
}

/** What an agent keeps. */
class Agent implements authorization.OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  /** Where it has sent its person last. */
  sentTo: URL | undefined;
  kept: OAuthTokens | undefined;
  /** Set while its tokens open too little: renewing them would not change that. */
  needsMore = false;
  /** The key that its tokens are bound to (RFC 9449); the present line of the library knows none. */
  dpop?: () => Promise<unknown>;
  private client: OAuthClientInformationMixed | undefined;
  private verifier = "";

  get clientMetadata(): OAuthClientMetadata {
    return { client_name: "Agent", redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" };
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.client = client;
  }
  tokens() {
    if (!this.kept || !this.needsMore) return this.kept;
    const { refresh_token: _, ...rest } = this.kept;
    return rest;
  }
  saveTokens(tokens: OAuthTokens) {
    [this.kept, this.needsMore] = [tokens, false];
  }
  redirectToAuthorization(url: URL) {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
}

/** The library. What is used of it has the same names and shapes in both lines. */
const PRESENT = { ...authorization, Client, StreamableHTTPClientTransport };

const INSTALL = ["install", "--silent", "--no-audit", "--no-fund"];

async function nextLibrary(folder: string): Promise<typeof PRESENT> {
  execFileSync("npm", [...INSTALL, "--prefix", folder, "@modelcontextprotocol/client@2"]);
  return import(join(folder, "node_modules/@modelcontextprotocol/client/dist/index.mjs"));
}

const [port, samplePort] = [await freePort(), await freePort()];
const state = mkdtempSync(join(tmpdir(), "postern-mcp-"));
const library = process.argv.includes("--next") ? await nextLibrary(state) : PRESENT;
const flags = ["--port", String(port), "--mcp-port", String(samplePort), "--persist-to", state];
const command = ["run", "--silent", "mcp", "--", ...flags];
const service = spawn("npm", command, { stdio: ["ignore", "pipe", "inherit"], detached: true });
const ended = new Promise<void>((resolve) => service.once("exit", () => resolve()));
let output = "";
service.stdout.on("data", (chunk: Buffer) => {
  output += chunk.toString();
});

async function printed(pattern: RegExp): Promise<string> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end && service.exitCode === null; ) {
    const found = output.match(pattern)?.[1];
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`mcp: never printed ${pattern}:\n${output}`);
}

type PlatformApi = (path: string, body: object) => Promise<{ id: string }>;

const platformApi =
  (platformKey: string): PlatformApi =>
  async (path, body) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${platformKey}` };
    const url = `http://localhost:${port}/api/v1/platform${path}`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { data: { id: string } }).data;
  };

/** Somebody who is the member of a tenant. */
async function registerPerson(api: PlatformApi): Promise<void> {
  const tenant = await api("/tenants", { name: "Yours" });
  const user = await api("/users", { email: EMAIL, password: PASSWORD, emailVerified: true });
  await api(`/tenants/${tenant.id}/members`, { user: user.id, role: "owner" });
}

/** The sample with the library's next line. Returns where it answers. */
async function startNextServer(api: PlatformApi): Promise<string> {
  const [address, nextPort] = [`http://localhost:${port}`, await freePort()];
  const resource = `http://localhost:${nextPort}/mcp`;
  const packages = [
    "@modelcontextprotocol/server@2",
    "@modelcontextprotocol/node@2",
    "zod@4",
    `${address}/postern.tgz`,
  ];
  execFileSync("npm", [...INSTALL, "--prefix", state, ...packages]);
  copyFileSync(join(import.meta.dirname, "libraries/mcp-server.mjs"), join(state, "server.mjs"));
  const scopes = ["notes.read", "notes.write"].map((name) => ({ name, description: name }));
  await api("/resources", { name: "Notes", identifier: resource, scopes });
  const env = { ...process.env, POSTERN_URL: address, PORT: String(nextPort), RESOURCE: resource };
  const server = spawn(process.execPath, ["server.mjs"], { cwd: state, env, stdio: ["ignore", "pipe", "inherit"] });
  process.on("exit", () => server.kill());
  await once(server.stdout, "data");
  return resource;
}

/** A registered agent, whose tokens must be bound to its key. */
async function registerAgent(api: PlatformApi, agent: Agent, resource: string): Promise<void> {
  const { id } = await api("/clients", {
    ...{ name: "Agent", type: "native", redirectUrls: [CALLBACK], dpop: "required" },
    resources: [{ identifier: resource, scopes: ["*"] }],
  });
  agent.saveClientInformation({ client_id: id });
  const { DpopSession } = library as unknown as { DpopSession: { create(): Promise<unknown> } };
  const session = DpopSession.create();
  agent.dpop = () => session;
}

/** Runs the agent until it sends its person away, who allows what it asks for. Returns the scopes of that. */
async function allow(agent: Agent, visitor: Visitor, serverUrl: string, work: () => Promise<unknown>): Promise<string> {
  const refusal = await work().then(
    () => null,
    (error: unknown) => error,
  );
  check("the agent sends its person to sign in", refusal instanceof library.UnauthorizedError, String(refusal));
  const scope = agent.sentTo?.searchParams.get("scope") ?? "";
  const { url } = await visitor.signIn(agent.sentTo?.href ?? "", EMAIL, PASSWORD);
  const { searchParams } = new URL(url);
  const answer = { authorizationCode: searchParams.get("code") ?? "", iss: searchParams.get("iss") };
  check("the person allows it", (await library.auth(agent, { serverUrl, ...answer })) === "AUTHORIZED");
  return scope;
}

let failure: unknown;
try {
  const sample = await printed(/For agents:.* (http:\S+)/);
  await printed(/(Notes for agents)/);
  const api = platformApi(await printed(/PLATFORM_KEY=(psk_\w+)/));
  await registerPerson(api);
  const [agent, visitor] = [new Agent(), new Visitor()];
  const resource = library === PRESENT ? sample : await startNextServer(api);
  if (library !== PRESENT) await registerAgent(api, agent, resource);
  visitor.stopsAt = new URL(CALLBACK).origin;
  const fetchNoting: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    if (answer.headers.get("www-authenticate")?.includes("insufficient_scope")) agent.needsMore = true;
    return answer;
  };
  const connected = async () => {
    const client = new library.Client({ name: "agent", version: "1.0.0" });
    await client.connect(
      new library.StreamableHTTPClientTransport(new URL(resource), { authProvider: agent, fetch: fetchNoting }),
    );
    return client;
  };
  const first = await allow(agent, visitor, resource, connected);
  check("it asks for what it needs to begin with", first === "notes.read", first);
  const client = await connected();
  const { tools } = await client.listTools();
  check("it sees both tools", tools.map(({ name }) => name).join() === "list-notes,add-note", tools);
  await client.callTool({ name: "list-notes" });
  const add = () => client.callTool({ name: "add-note", arguments: { note: "Buy milk" } });
  const more = await allow(agent, visitor, resource, add);
  check("it asks for more when it first adds a note", more === "notes.read notes.write", more);
  await add();
  const [listed] = (await client.callTool({ name: "list-notes" })).content as { text: string }[];
  check("the note is there", listed?.text.endsWith(": Buy milk") === true, listed);
  const before = agent.kept?.access_token;
  check("it renews its tokens", (await library.auth(agent, { serverUrl: resource })) === "AUTHORIZED");
  await add();
  check("the new ones work", agent.kept?.access_token !== before);
  if (agent.dpop) {
    const headers = { authorization: `Bearer ${agent.kept?.access_token}`, "content-type": "application/json" };
    const { status } = await fetch(resource, { method: "POST", headers, body: "{}" });
    check("nobody else can use them", agent.kept?.token_type === "DPoP" && status === 401, agent.kept?.token_type);
  }
  await client.close();
} catch (error) {
  failure = error;
} finally {
  if (service.pid !== undefined) process.kill(-service.pid, "SIGINT");
  await ended;
  rmSync(state, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
if (failure) console.error(failure);
process.exit(failure ? 1 : 0);
