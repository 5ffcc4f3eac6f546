/**
 * `npm run libraries`: OpenID Connect libraries that are too heavy for the suite, or in other languages, as the client
 * of a real `npm run dev` behind TLS. Each signs somebody in, renews the tokens, refuses another state or nonce, and
 * signs out. What this machine has no tool for, or whose packages it does not get, is NOT CHECKED, and named again at
 * the end.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parseEnv, promisify } from "node:util";
import { type DevServer, freePort, startDevServer } from "../test/browser/dev-server.ts";
import { Visitor } from "../test/sdk/visitor.ts";
import { type Library, librariesAt } from "./libraries/list.ts";
import { startTls, type Tls } from "./libraries/tls.ts";

const [EMAIL, PASSWORD] = ["you@example.com", "correct horse battery staple"];
const LISTEN_TIMEOUT_MS = 60_000;
/** Deliveries that were not sent at once wait for the sweep. */
const TOLD_WITHIN_MS = 40_000;
const folder = mkdtempSync(join(tmpdir(), "postern-libraries-"));

let server: DevServer | undefined;
let tls: Tls | undefined;
let env: NodeJS.ProcessEnv;
/** What the libraries run with: they trust the certificate, beside others only where that is possible. */
let trusting: NodeJS.ProcessEnv;
let appUrl: string;
const visitor = new Visitor();
const running: ChildProcess[] = [];

function check(what: string, ok: boolean, detail: unknown = ""): void {
  if (!ok) throw new Error(`${what}: ${typeof detail === "string" ? detail : JSON.stringify(detail)}`);
}

/** Null once it is installed; otherwise why it is not. */
async function install({ files, install: commands }: Library, cwd: string): Promise<string | null> {
  for (const [to, from] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, to)), { recursive: true });
    copyFileSync(from, join(cwd, to));
  }
  for (const [program = "", ...args] of commands) {
    try {
      await promisify(execFile)(program, args, { cwd, env });
    } catch (error) {
      return `${program} ${args[0]}: ${error instanceof Error ? error.message.trim().split("\n").at(-1) : error}`;
    }
  }
  return null;
}

function start([program = "", ...args]: string[], cwd: string) {
  const child = spawn(program, args, { cwd, env: trusting, stdio: ["pipe", "pipe", "pipe"] });
  running.push(child);
  return child;
}

/** Goes through a sign-in with a program. Returns what it says, or null if it refuses. */
async function signInTo(library: Library, cwd: string, changed: "state" | "nonce" | null): Promise<unknown> {
  const child = start(library.run, cwd);
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url = new URL((await lines.next()).value ?? `error:${errors}`);
  if (changed === "nonce") url.searchParams.set("nonce", "another");
  const answered = new URL((await visitor.signIn(url.href, EMAIL, PASSWORD)).url);
  if (changed === "state") answered.searchParams.set("state", "another");
  child.stdin.end(`${answered}\n`);
  const said = await lines.next();
  if (changed === null) check("says who it is", !said.done, errors);
  return said.done ? null : JSON.parse(said.value);
}

async function tryProgram(library: Library, cwd: string, tenantId: string): Promise<void> {
  const said = (await signInTo(library, cwd, null)) as Record<string, string>;
  check("knows the person", said.email === EMAIL && said.tenantId === tenantId, said);
  for (const changed of library.readsNonce ? (["state", "nonce"] as const) : (["state"] as const)) {
    check(`refuses another ${changed}`, (await signInTo(library, cwd, changed)) === null);
  }
  const query = new URLSearchParams({ id_token_hint: said.idToken ?? "", post_logout_redirect_uri: `${appUrl}/` });
  const { url } = await visitor.goOn(await visitor.open(`${env.POSTERN_URL}/oauth/logout?${query}`), appUrl);
  check("signs out", url === `${appUrl}/`, url);
}

/** Somebody lets a device in, which shows a link. */
async function tryDevice(library: Library, cwd: string, tenantId: string): Promise<void> {
  const child = start(library.run, cwd);
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const url: string = (await lines.next()).value ?? `error:${errors}`;
  const asked = await visitor.send(await visitor.open(url), "user_code", {});
  const { status } = await visitor.answer(asked, EMAIL, PASSWORD);
  check("lets the device in", status === 200, status);
  child.stdin.end("answered\n");
  const said = await lines.next();
  check("says who it is", !said.done, errors);
  const { email, tenantId: named } = JSON.parse(said.value ?? "{}") as Record<string, string>;
  check("knows the person", email === EMAIL && named === tenantId, said);
}

const tryOne = ({ says, isDevice }: Library) => (says ? tryServer : isDevice ? tryDevice : tryProgram);

async function tryServer(library: Library, cwd: string, tenantId: string): Promise<void> {
  const child = start(library.run, cwd);
  const visiting = new Visitor();
  await listening();
  const page = await visiting.signIn(`${appUrl}/`, EMAIL, PASSWORD);
  check("knows the person", page.html.includes(library.says?.(EMAIL, tenantId) ?? ""), page);
  if (library.isTold) await tryTwoDevices(visiting);
  const forged = await new Visitor().open(`${appUrl}/auth/callback?code=x&state=another`);
  check("refuses another state", forged.status >= 400, forged);
  const out = await visiting.open(...(library.signOut?.(appUrl) ?? [appUrl]));
  const after = await visiting.signIn(`${appUrl}/`, "nobody", "nothing");
  check("signs out", out.status === 200 && after.html.includes('name="password"'), after);
  child.kill();
  await once(child, "exit");
}

/** Signs out at the service on another device. The app is told, and ends its session there and nowhere else. */
async function tryTwoDevices(here: Visitor): Promise<void> {
  const there = new Visitor();
  await there.signIn(`${appUrl}/`, EMAIL, PASSWORD);
  await there.open(`${env.POSTERN_URL}/account/sign-out`, {});
  await eventually("The app was not told of a sign-out.", TOLD_WITHIN_MS, async () =>
    (await there.open(`${appUrl}/`)).html.includes('name="password"'),
  );
  const { html } = await here.open(`${appUrl}/`);
  check("goes on on the other device", html.includes(EMAIL), html);
}

const listening = (): Promise<void> =>
  eventually("The app does not listen.", LISTEN_TIMEOUT_MS, async () => {
    const socket = connect(Number(env.PORT), "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    return isOpen;
  });

async function eventually(otherwise: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + withinMs; Date.now() < end; ) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(otherwise);
}

/**
 * Registers somebody, and a program that acts for itself. Lets the app go without PKCE, as two of the libraries do, and
 * back to an address without a slash, as express-openid-connect does. Returns the id of the tenant.
 */
async function prepare(): Promise<string> {
  const api = (method: string, path: string, body: object, token = env.PLATFORM_KEY) =>
    fetch(`${env.POSTERN_URL}/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  await api("PATCH", `/platform/clients/${env.CLIENT_ID}`, {
    pkce: "optional",
    grants: ["authorization_code", "refresh_token", "device_code"],
    postLogoutUrls: [`${appUrl}/`, appUrl],
  });
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const machine = await api("POST", "/platform/clients", {
    name: "Machine",
    auth: "private_key_jwt",
    jwks: { keys: [publicKey.export({ format: "jwk" })] },
    grants: ["client_credentials"],
    resources: [{ identifier: `${env.POSTERN_URL}/api/v1`, scopes: ["webhook.read"] }],
  });
  trusting.MACHINE_ID = ((await machine.json()) as { data: { id: string } }).data.id;
  trusting.MACHINE_KEY = String(privateKey.export({ format: "pem", type: "pkcs8" }));
  const tenant = await (await api("POST", "/platform/tenants", { name: "Yours", externalId: "yours" })).json();
  const user = { email: EMAIL, password: PASSWORD, emailVerified: true };
  const { data } = (await (await api("POST", "/platform/users", user)).json()) as { data: { id: string } };
  const { id } = (tenant as { data: { id: string } }).data;
  await api("POST", `/platform/tenants/${id}/members`, { user: data.id, role: "owner" });
  return id;
}

/** Those that the arguments name, or all. */
const isWanted = ({ name }: Library) => process.argv.length < 3 || process.argv.slice(2).includes(name);

let failures = 0;
const notChecked: string[] = [];
try {
  const port = await freePort();
  appUrl = `http://localhost:${port}`;
  const [devPort, tlsPort] = [await freePort(), await freePort()];
  const issuer = `https://localhost:${tlsPort}`;
  server = await startDevServer(devPort, { url: "https://id.example" }, [`PUBLIC_URL:${issuer}`], appUrl);
  tls = await startTls(folder, tlsPort, server.base);
  const settings = parseEnv(readFileSync(await server.appFile(), "utf8"));
  env = { ...process.env, ...settings, POSTERN_URL: issuer, PORT: String(port) };
  const [NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, REQUESTS_CA_BUNDLE] = [tls.caFile, tls.caFile, tls.caFile];
  trusting = { ...env, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE, REQUESTS_CA_BUNDLE };
  visitor.stopsAt = appUrl;
  const tenantId = await prepare();
  for (const library of librariesAt(server.base).filter(isWanted)) {
    const cwd = mkdtempSync(join(folder, "library-"));
    const missing = await install(library, cwd);
    if (missing !== null) {
      notChecked.push(`NOT CHECKED ${library.name}: ${missing}`);
      continue;
    }
    const [program = "", ...args] = library.version;
    const version = spawnSync(program, args, { cwd, encoding: "utf8" }).stdout.trim();
    try {
      await tryOne(library)(library, cwd, tenantId);
      console.log(`ok      ${library.name} ${version}${library.isDevice ? " as a device" : ""}`);
    } catch (error) {
      failures += 1;
      for (const child of running) child.kill();
      console.log(`FAILED  ${library.name} ${version}\n${error instanceof Error ? error.message : error}`);
    }
  }
} finally {
  for (const child of running) child.kill();
  tls?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (notChecked.length > 0) console.log(notChecked.join("\n"));
process.exit(failures === 0 ? 0 : 1);
