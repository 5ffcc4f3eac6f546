/**
 * The package as a user installs it: its files, its types without the service's libraries, the examples from the docs,
 * and its command line.
 */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typescriptWriter } from "../../src/webhooks/event-types/export/typescript";
import { Meter } from "../../src/webhooks/work/meter";
import { freePort } from "../browser/dev-server.ts";
import { declaredType } from "../support/event-types";
import { commandLine } from "./installed/command-line.ts";
import { commandLineLogin } from "./installed/command-line-login.ts";
import { importingPeople } from "./installed/import-people.ts";
import { closeStage, files, folder, installed, openStage, run, START_TIMEOUT_MS, server } from "./installed/stage.ts";

beforeAll(openStage, START_TIMEOUT_MS);
afterAll(closeStage);

// Costs a second of CPU, which is what a build costs.
test("is built again without removing a file that somebody may be running", async () => {
  if (!existsSync("dist/cli/postern.js")) run("npm", ["run", "-s", "build"]);
  const build = spawn("npm", ["run", "-s", "build"], { stdio: "ignore" });
  let missing = 0;
  const watching = setInterval(() => {
    if (!existsSync("dist/cli/postern.js")) missing += 1;
  }, 2);
  const status = await new Promise((done) => build.once("close", done));
  clearInterval(watching);
  expect([status, missing]).toEqual([0, 0]);
});

test("contains the modules with their types, the command line, the list of materials, the licence and the README, and has no dependencies", () => {
  const modules = files.filter((path) => path !== "dist/cli/postern.js");
  const others = modules.filter(
    (path) => !/^dist\/(client|receive|receive\/testing|session|verify|web)\/[\w-]+(\.js|\.d\.ts)$/.test(path),
  );
  expect(others.sort()).toEqual(["LICENSE", "README.md", "dist/sbom.json", "package.json"]);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Record<string, unknown>;
  expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined]);
});

const MANAGERS = [
  ["npm", "install", "--silent", "--no-audit", "--no-fund"],
  ["pnpm", "add", "--silent"],
  ["yarn", "add", "--silent"],
] as const;
/** For Node itself and for a bundler. */
const USER = `
import { createClient } from "postern/client";
import { verifyDelivery } from "postern/verify";
console.log(typeof createClient({ baseUrl: "http://localhost", fetch }).events.publish, typeof verifyDelivery);
`;

test.for(MANAGERS)(
  "is installed into an empty project by %s from the service, for Node and for a bundler",
  async ([program, ...args], { skip }) => {
    if (spawnSync(program, ["--version"]).status !== 0) skip(`${program} is not here`);
    const project = join(folder, `by-${program}`);
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "user", version: "1.0.0", type: "module" }));
    run(program, [...args, `${server.base}/postern.tgz`], project);
    writeFileSync(join(project, "user.js"), USER);
    expect(run(process.execPath, ["user.js"], project)).toBe("function function\n");
    const output = { file: join(project, "bundle/all.js"), format: "es" } as const;
    await build({ input: join(project, "user.js"), platform: "browser", output, logLevel: "silent" });
    rmSync(join(project, "node_modules"), { recursive: true });
    expect(run(process.execPath, ["bundle/all.js"], project)).toBe("function function\n");
  },
);

const LINE = { type: "object", required: ["sku"], properties: { sku: { type: "string" } } };
const DECLARED = {
  "order.paid": {
    $defs: { line: LINE },
    type: "object",
    required: ["total"],
    properties: { total: { type: "integer" }, lines: { type: "array", items: { $ref: "#/$defs/line" } } },
  },
  plain: undefined,
};

/** What `postern types` writes for these schemas. */
function typesOf(schemas: Record<string, unknown>): string {
  const writer = typescriptWriter(new Meter());
  const entries = Object.entries(schemas).map(([name, schema]) => writer.entry(declaredType(name, schema)));
  return [writer.head, ...entries, writer.tail()].join("");
}

const CONSUMER = `
import { createClient, type ErrorCode, type SubscriptionInput, PosternError, type Subscription } from "postern/client";
import { d1Store, handle } from "postern/receive";
import { everyCrash } from "postern/receive/testing";
import { createSessionVerifier, SessionError, type VerifiedSession } from "postern/session";
import { type Delivery, DeliveryError, type VerificationKeys, verifyDelivery } from "postern/verify";
import { createWebSession, forNode, type WebSession } from "postern/web";
import type { PosternEvents } from "./postern-events.mjs";

const web = createWebSession({ issuer: "https://postern.example.com", clientId: "c", secret: "s".repeat(32) });
export const person: WebSession | null = (await web.session(new Request("https://example.com/"))).session;
export const listener = forNode(web).handle;
const client = createClient({ baseUrl: "https://postern.example.com", fetch });
const body: SubscriptionInput = { name: "n", url: "https://example.com/", events: ["*"], secret: "s" };
const created: Subscription = await client.webhooks.create(body, { signal: new AbortController().signal });
export const id: string = created._id;
// @ts-expect-error an unknown scope
await client.apiKeys.create({ name: "k", scopes: ["webhook.eat"] });
// @ts-expect-error a required field is missing
await client.auth.login({ email: "a@example.com" });
// @ts-expect-error an unknown code
export const code: ErrorCode = "NO_SUCH_CODE";
const sessions = createSessionVerifier({ issuer: "https://postern.example.com", audience: "postern", fetch });
// @ts-expect-error an unknown way
createSessionVerifier({ issuer: "https://postern.example.com", audience: "postern", revocation: "sometimes" });
try {
  const session: VerifiedSession = await sessions.verify("token");
  console.log(session.role, session.scopes.length, session.authTime.toISOString(), session.revocation.asOf?.getTime());
  const request = new Request("https://example.com/");
  const delivery: Delivery<{ order: number }> = await verifyDelivery(request, ["old", "new"]);
  console.log(delivery.payload.order.toFixed());
  const keys: VerificationKeys = { jwks: new URL("https://postern.example.com/.well-known/webhook-keys/id") };
  await verifyDelivery({ headers: { "webhook-id": "1" }, body: new Uint8Array() }, keys, { scheme: "standard" });
  const event = await verifyDelivery<PosternEvents>(request, "secret", { format: "cloudevents" });
  if (event.type === "order.paid") console.log(event.payload.total.toFixed(), event.payload.lines?.[0]?.sku.length);
  // @ts-expect-error the payload of another type
  if (event.type === "plain") console.log(event.payload.total);
  // @ts-expect-error a type that is not declared
  if (event.type === "order.eaten") console.log(event.id);
  const untyped = await verifyDelivery(request, "secret", { format: "standard" });
  const [type, payload]: [string, unknown] = [untyped.type, untyped.payload];
  console.log(type, payload);
  // @ts-expect-error a format without the type in its body
  await verifyDelivery(request, "secret", { format: "thin" });
  // @ts-expect-error an unknown scheme
  await verifyDelivery(new Request("https://example.com/"), "whpk_", { scheme: "v1a" });
} catch (error) {
  if (error instanceof PosternError && error.code === "RATE_LIMITED") console.log(error.retryAfterSeconds?.toFixed());
  if (error instanceof SessionError && error.reason === "REVOKED") console.log(error.status.toFixed());
  if (error instanceof DeliveryError && error.reason === "SIGNATURE_MISMATCH") console.log(error.message);
}
`;

test("its types compile in strict mode without the service's libraries", () => {
  writeFileSync(join(folder, "consumer.mts"), CONSUMER);
  writeFileSync(join(folder, "postern-events.mts"), typesOf(DECLARED));
  const options = "--noEmit --strict --module nodenext --target es2022 --lib es2022,dom,dom.iterable --types";
  run("tsc", [...options.split(" "), "", "consumer.mts"], folder);
});

/** Sends a good token and a changed one to each example, with an issuer in place of the network. */
const SESSIONS = `
import { generateKeyPairSync, sign } from "node:crypto";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const jwk = { ...publicKey.export({ format: "jwk" }), kid: "k", alg: "EdDSA", use: "sig" };
const b64 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const iss = "https://postern.example.com";
const now = Math.floor(Date.now() / 1000);
const jws = (typ, claims) => {
  const signed = b64({ alg: "EdDSA", kid: "k", typ }) + "." + b64({ iss, aud: "postern", iat: now, ...claims });
  return signed + "." + sign(null, Buffer.from(signed), privateKey).toString("base64url");
};
const real = globalThis.fetch;
globalThis.fetch = async (url, init) => {
  if (!String(url).startsWith(iss)) return real(url, init);
  if (String(url).endsWith("jwks.json")) return Response.json({ keys: [jwk] });
  return new Response(jws("revoked+jwt", { revoked: [] }));
};
const claims = { sub: "u", sid: "s", tid: "t", role: "owner", scope: "", jti: "j", auth_time: now, exp: now + 900 };
const token = jws("at+jwt", claims);
const { default: worker } = await import("./worker.js");
const ask = (token) => ({ headers: { authorization: "Bearer " + token } });
for (const given of [token, token.slice(0, -4) + "AAAA"]) {
  console.log(await (await worker.fetch(new Request("https://app.example/", ask(given)))).text());
}
process.env.PORT = process.argv[2];
await import("./node.mjs");
for (const given of [token, token.slice(0, -4) + "AAAA"]) {
  const answer = await fetch("http://127.0.0.1:" + process.argv[2] + "/", ask(given));
  console.log(answer.status, await answer.text());
}
process.exit(0);
`;

test("the examples of Verify a token in another service run", async () => {
  for (const file of ["node.mjs", "worker.js"]) {
    copyFileSync(join("src/docs/pages/verify-tokens", file), join(folder, file));
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "sessions.mjs"), SESSIONS);
  const printed = run("node", ["sessions.mjs", String(await freePort())], folder);
  expect(printed.split("\n").filter(Boolean)).toEqual([
    "u is owner of t",
    "BAD_SIGNATURE",
    "200 u is owner of t",
    "401 BAD_SIGNATURE",
  ]);
});

test("the example runs against npm run dev", async () => {
  copyFileSync("src/docs/pages/example.mjs", join(folder, "example.mjs"));
  expect(readFileSync("src/docs/pages/example.mjs", "utf8").split("\n").length).toBeLessThan(60);
  const env = { ...process.env, POSTERN_URL: server.base };
  const example = spawn("node", ["example.mjs"], { cwd: folder, env, stdio: ["pipe", "pipe", "inherit"] });
  const shown = printedBy(example);
  await shown(/Path of the email/);
  example.stdin.end(`${await server.mailFile(/^you-/, /Verify/)}\n`);
  expect(await new Promise((resolve) => example.once("exit", resolve))).toBe(0);
  await shown(
    new RegExp(
      [
        "Email verified successfully\\.",
        "Received and verified: OrderPaid .* { order: 42 }",
        "Refreshed, still logged in as you-",
      ].join("\\s+"),
    ),
  );
});

describe("the command line", commandLine);
describe("the command line signs in", commandLineLogin);
describe("postern import people", importingPeople);

/** Waits until the program has printed text that matches. Rejects when it exits first. */
function printedBy(child: { stdout: NodeJS.ReadableStream; once: NodeJS.EventEmitter["once"] }) {
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = output.match(pattern);
        if (match) resolve(match);
      };
      child.stdout.on("data", look);
      child.once("exit", (code) => reject(new Error(`exited with ${code} before it printed ${pattern}: ${output}`)));
      look();
    });
}
