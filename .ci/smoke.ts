/**
 * The main job through HTTP against `npm run dev`, or `npx wrangler dev` with the argument `wrangler`, with a real
 * receiver, in a state folder of its own.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOTES } from "../.scripts/dev/migrate.ts";
import { readMigrations } from "../.scripts/migrations.ts";
import { freePort } from "../test/browser/dev-server.ts";

const START_TIMEOUT_MS = 90_000;
const STEP_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

interface Arrival {
  atMs: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

function check(what: string, ok: boolean): void {
  if (!ok) throw new Error(`smoke: ${what}`);
  console.log(`smoke: ${what}`);
}

async function until<T>(
  what: string,
  read: () => Promise<T | undefined> | T | undefined,
  withinMs = STEP_TIMEOUT_MS,
): Promise<T> {
  const end = Date.now() + withinMs;
  while (Date.now() < end) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`smoke: did not happen within ${withinMs} ms: ${what}`);
}

const arrivals: Arrival[] = [];
const receiver = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  arrivals.push({ atMs: Date.now(), headers: request.headers, body: Buffer.concat(chunks) });
  response.end("thank you");
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const receiverPort = (receiver.address() as AddressInfo).port;

const port = await freePort();
const base = `http://localhost:${port}`;
const state = mkdtempSync(join(tmpdir(), "postern-smoke-"));

const flags = ["--port", String(port), "--inspector-port", "0", "--persist-to", state];

/**
 * Applies the migrations as the README says. Wrangler starts workerd anew for each one, so it first runs all but the
 * last from one file, which notes them as applied.
 */
function migrateByWrangler(): void {
  const earlier = readMigrations("migrations").slice(0, -1);
  const applied = earlier.map(
    ({ name, statements }) => `${statements.join("\n")}\nINSERT INTO d1_migrations (name) VALUES ('${name}');\n`,
  );
  const file = join(state, "earlier.sql");
  writeFileSync(file, `${NOTES};\n${applied.join("")}`);
  for (const command of [
    ["execute", "DB", "--file", file, "--yes"],
    ["migrations", "apply", "DB"],
  ]) {
    const args = ["wrangler", "d1", ...command, "--local", "--persist-to", state];
    const { status, stderr } = spawnSync("npx", args, { encoding: "utf8", env: { ...process.env, CI: "true" } });
    if (status !== 0) throw new Error(`smoke: the migrations were not applied: ${stderr}`);
  }
}

/** What starts the service. `npm run dev` migrates its databases and sets what is needed; wrangler does neither. */
function startCommand(): string[] {
  if (process.argv[2] !== "wrangler") return ["npm", "run", "dev", "--", ...flags];
  migrateByWrangler();
  const vars = [`SECRET_KEYS:${randomBytes(32).toString("hex")}`, "WEBHOOK_EGRESS:any"];
  return ["npx", "wrangler", "dev", ...flags, ...vars.flatMap((value) => ["--var", value])];
}

let output = "";
const [program = "", ...args] = startCommand();
const dev = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
const ended = new Promise<void>((resolve) => dev.once("exit", () => resolve()));
for (const stream of [dev.stdout, dev.stderr]) {
  stream.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
}

async function api(method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as { data: never; message?: string } };
}

async function mainJob(): Promise<void> {
  await until(
    "the service answers",
    async () => ((await fetch(`${base}/health`).catch(() => undefined))?.ok ? true : undefined),
    START_TIMEOUT_MS,
  );
  const email = "smoke@example.com";
  const password = "smoke test pass phrase";
  check("register answers 201", (await api("POST", "/auth/register", { email, password })).status === 201);
  const mail = await until("the verification mail is printed", () => output.match(/\S+\.txt/)?.[0]);
  const mailToken = readFileSync(mail, "utf8").match(/verify-email\?token=([0-9a-f]{64})/)?.[1];
  const verified = await api("POST", "/auth/verify-email", { token: mailToken });
  check("the mailed token verifies the address", verified.body.message === "Email verified successfully.");
  const login = await api("POST", "/auth/login", { email, password });
  check("login answers 200", login.status === 200);
  const { accessToken } = login.body.data as { accessToken: string };
  const secret = "smoke-secret";
  const subscription = { name: "smoke", url: `http://127.0.0.1:${receiverPort}/`, events: ["*"], secret };
  const created = await api("POST", "/webhooks", subscription, accessToken);
  check("a subscription is created", created.status === 201);
  const published = await api("POST", "/events", { type: "SmokeTested", payload: { text: "naïve ✓" } }, accessToken);
  check("an event is accepted", published.status === 202);
  const arrival = await until("the receiver gets the POST", () => arrivals[0]);
  const hmac = createHmac("sha256", secret).update(arrival.body).digest("hex");
  check("the signature is right", arrival.headers["x-webhook-signature"] === hmac);
  const { _id } = created.body.data as { _id: string };
  await until("the log shows success", async () => {
    const logs = await api("GET", `/webhooks/${_id}/logs`, undefined, accessToken);
    return (logs.body.data as { status: string }[])[0]?.status === "success" ? true : undefined;
  });
  check("no second POST came", arrivals.length === 1);
  await unreachable(accessToken);
}

/** Checks what only the real network shows: the log says why there was no answer. */
async function unreachable(accessToken: string): Promise<void> {
  for (const [url, error] of [
    ["http://127.0.0.1:1/", "connection refused or lost"],
    ["http://no-such-host.invalid/", "connection failed: unknown host or no TLS"],
  ]) {
    const subscription = { name: "unreachable", url, events: ["Unreachable"], secret: "s" };
    const { data } = (await api("POST", "/webhooks", subscription, accessToken)).body as { data: { _id: string } };
    await api("POST", `/webhooks/${data._id}/test`, undefined, accessToken);
    const told = await until(`the log says why ${url} gave no answer`, async () => {
      const logs = await api("GET", `/webhooks/${data._id}/logs`, undefined, accessToken);
      return (logs.body.data as { error?: string }[])[0]?.error;
    });
    check(`${url}: ${error}`, told === error);
  }
}

let failure: unknown;
try {
  await mainJob();
} catch (error) {
  failure = error;
  console.error(output.slice(-10_000));
}
if (dev.pid) process.kill(-dev.pid, "SIGTERM");
await ended;
receiver.close();
try {
  // Not all programs that npx started end together.
  const isGone = () =>
    fetch(`${base}/health`).then(
      () => undefined,
      () => true,
    );
  await until("SIGTERM stops the service", isGone);
  console.log("smoke: SIGTERM stopped the service");
} catch (error) {
  failure ??= error;
}
rmSync(state, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
if (failure) console.error(failure);
process.exit(failure ? 1 : 0);
