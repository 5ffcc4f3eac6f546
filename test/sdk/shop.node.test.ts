/** The shop of "Add Postern to your product", run against `npm run dev`, with what its two customers run. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { build } from "rolldown";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { registerApp } from "../../.scripts/dev/app.ts";
import { createClient } from "../../src/sdk/client";
import { type DevServer, freePort, startDevServer } from "../browser/dev-server.ts";
import { Visitor } from "./visitor.ts";

const SHOP = "src/docs/pages/shop";
const WEB = "src/docs/pages/web-session";
const MCP = "src/docs/pages/mcp";
const PASSWORD = "correct horse battery staple";
const SOON = { timeout: 40_000, interval: 200 };
const [ADA, BEN, CARL] = ["ada@tea-house.example", "ben@book-barn.example", "carl@tea-house.example"];

const folder = mkdtempSync(join(tmpdir(), "postern-shop-"));
const programs: ChildProcess[] = [];
let server: DevServer;
let shopUrl: string;
/** What the service has written for the app. */
let file: string;
let settings: Record<string, string>;
let shop: { printed: () => string };

/** Starts a program of the sample. `printed` is its output so far. */
function start(command: string, args: string[], env: Record<string, string>) {
  const program = spawn(command, args, { cwd: join(folder, "shop"), env: { ...process.env, ...env } });
  programs.push(program);
  let output = "";
  for (const stream of [program.stdout, program.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = once(program, "exit");
  const stop = async () => {
    program.kill();
    await ended;
  };
  return { printed: () => output, stop };
}

/** Waits until a program listens: a delivery that came before would be tried again much later. */
const listens = (port: number) =>
  vi.waitFor(async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.end();
  }, SOON);

const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

/** Publishes what has happened on the platform, without waiting for the next run of the job. */
async function tellOfPeople(): Promise<void> {
  const answer = await fetch(`${server.base}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`);
  expect(answer.status).toBe(200);
}

/** Somebody who has signed in to the shop. */
async function signedIn(email: string): Promise<Visitor> {
  const visitor = new Visitor();
  const page = await visitor.signIn(`${shopUrl}/auth/sign-in`, email, PASSWORD);
  expect([page.url, page.html]).toEqual([`${shopUrl}/`, expect.stringContaining(`<h1>${email}, `)]);
  return visitor;
}

const homeOf = async (visitor: Visitor) => (await visitor.open(`${shopUrl}/`)).html;
const order = async (item: string, visitor: Visitor) => (await visitor.open(`${shopUrl}/orders`, { item })).status;

async function clientOf(email: string) {
  const client = createClient({ baseUrl: server.base });
  await client.auth.login({ email, password: PASSWORD });
  return client;
}

/** Runs a small app at the address of the shop until somebody has opened its page. */
async function pageOf(file: string, visitor: Visitor, email: string): Promise<string> {
  const app = start(process.execPath, [file], settings);
  await listens(Number(settings.PORT));
  const { html } = await visitor.signIn(`${shopUrl}/`, email, PASSWORD);
  await app.stop();
  return html;
}

/** Hono's app, served by Node. */
const SERVE_HONO = `
import { createServer } from "node:http";
import app from "./hono.mjs";
createServer(async (request, response) => {
  const { method, headers, url } = request;
  const answer = await app.fetch(new Request(process.env.APP_URL + url, { method, headers }));
  response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text());
}).listen(process.env.PORT);
`;

beforeAll(async () => {
  const modules = ["client", "receive", "web"].map((name) => [`${name}/index`, `src/sdk/${name}/index.ts`]);
  await build({
    input: Object.fromEntries(modules),
    transform: { target: "es2022" },
    output: { dir: join(folder, "node_modules/postern/dist"), entryFileNames: "[name].js" },
    logLevel: "silent",
  });
  copyFileSync("package.json", join(folder, "node_modules/postern/package.json"));
  for (const name of ["express", "hono"])
    symlinkSync(resolve("node_modules", name), join(folder, "node_modules", name));
  for (const samples of [SHOP, WEB]) cpSync(samples, join(folder, "shop"), { recursive: true });
  writeFileSync(join(folder, "shop/serve-hono.mjs"), SERVE_HONO);
  copyFileSync("src/docs/pages/verify/verify.py", join(folder, "shop/verify.py"));
  const shopPort = await freePort();
  shopUrl = `http://localhost:${shopPort}`;
  server = await startDevServer(await freePort(), { url: "https://id.example" }, [], shopUrl);
  file = await server.appFile();
  settings = { ...(parseEnv(readFileSync(file, "utf8")) as Record<string, string>), PORT: String(shopPort) };
});

afterAll(async () => {
  for (const program of programs) program.kill();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("ten lines say who it is, in Node, Express and Hono", async () => {
  const [visitor, email] = [new Visitor(), "you@example.com"];
  await createClient({ baseUrl: server.base }).auth.register({ email, password: PASSWORD, tenantName: "Yours" });
  await createClient({ baseUrl: server.base }).auth.verifyEmail(tokenOf(await server.mailedLink(email, /Verify/)));
  expect(await pageOf("sign-in.mjs", visitor, email)).toBe(`You are ${email}, owner of Yours.\n`);
  for (const file of ["express.mjs", "serve-hono.mjs"]) {
    expect([file, await pageOf(file, new Visitor(), email)]).toEqual([file, `Hello ${email} of Yours`]);
  }
});

test("the settings of the app stay the same", async () => {
  const before = readFileSync(file, "utf8");
  const again = { address: server.base, persistTo: dirname(file) };
  expect(await registerApp(shopUrl, again, settings.PLATFORM_KEY ?? "")).toBe(file);
  expect(readFileSync(file, "utf8")).toBe(before);
});

describe("the shop", () => {
  beforeAll(async () => {
    shop = start(process.execPath, ["shop.mjs"], settings);
    await vi.waitFor(() => expect(shop.printed()).toContain("The shop is open"), SOON);
    for (const email of [ADA, BEN]) {
      const token = tokenOf(await server.mailedLink(email, /Reset/));
      await createClient({ baseUrl: server.base }).auth.resetPassword({ token, newPassword: PASSWORD });
    }
  });

  test("sends an order to the systems of its customer, once, and of no other", async () => {
    const inboxes = [];
    for (const email of [ADA, BEN]) {
      const port = await freePort();
      const env = { SECRET: `secret of ${email}`, PORT: String(port), CUSTOMER_DB: join(folder, `${email}.db`) };
      inboxes.push(start(process.execPath, ["customer.mjs"], env));
      await listens(port);
      const url = `http://127.0.0.1:${port}/`;
      await (await clientOf(email)).webhooks.create({ name: "erp", url, events: ["OrderPlaced"], secret: env.SECRET });
    }
    expect(await order("Assam", await signedIn(ADA))).toBe(201);
    const [tea, books] = inboxes;
    await vi.waitFor(() => expect(tea?.printed()).toMatch(/handled \[ \d+, 'Assam' \]/), SOON);
    expect(books?.printed()).not.toContain("Assam");
  });

  test("knows its people: invited, with another role, deleted", async () => {
    const ada = await signedIn(ADA);
    await (await clientOf(ADA)).invitations.create({ email: CARL, role: "viewer" });
    const invitationToken = tokenOf(await server.mailedLink(CARL, /invited/));
    await createClient({ baseUrl: server.base }).auth.register({ email: CARL, password: PASSWORD, invitationToken });
    const carl = await signedIn(CARL);
    await tellOfPeople();
    await vi.waitFor(async () => expect(await homeOf(ada)).toContain(`${CARL}: viewer`), SOON);
    expect(await order("Darjeeling", carl)).toBe(403);

    const members = await (await clientOf(ADA)).members.list({ q: CARL });
    const id = members.data[0]?.userId ?? "";
    await (await clientOf(ADA)).members.changeRole(id, "developer");
    await vi.waitFor(async () => expect(await order("Darjeeling", carl)).toBe(201), SOON);
    await tellOfPeople();
    await vi.waitFor(async () => expect(await homeOf(ada)).toContain(`${CARL}: developer`), SOON);

    const platform = createClient({ baseUrl: server.base, platformKey: settings.PLATFORM_KEY }).platform;
    await platform.users.delete(id);
    await tellOfPeople();
    await vi.waitFor(async () => expect(await homeOf(ada)).not.toContain(CARL), SOON);
    await vi.waitFor(async () => expect(await homeOf(carl)).toContain("Sign in"), SOON);
  });

  test("signs out here and at Postern", async () => {
    const ben = await signedIn(BEN);
    const page = await ben.goOn(await ben.open(`${shopUrl}/auth/sign-out`, {}), shopUrl);
    expect([page.url, page.html]).toEqual([`${shopUrl}/`, expect.stringContaining("Sign in")]);
    expect((await ben.open(`${shopUrl}/auth/sign-in`)).html).toContain('name="password"');
    expect(shop.printed()).not.toMatch(/Error/);
  });
});

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

test.skipIf(!hasPython)("(needs python3) Python publishes and verifies with its standard library", async () => {
  const port = await freePort();
  const receiver = start("python3", ["-B", "receiver.py"], { SECRET: "secret of Python", PORT: String(port) });
  await listens(port);
  const [url, secret] = [`http://127.0.0.1:${port}/`, "secret of Python"];
  const { webhooks } = await clientOf(BEN);
  await webhooks.create({ name: "python", url, events: ["StockLow"], secret });
  const program =
    "from publish import publish; print(publish('book-barn', 'StockLow', {'item': 'naïve ✓'}, 'stock-1'))";
  const env = { ...process.env, ...settings };
  const publish = () =>
    spawnSync("python3", ["-B", "-c", program], { cwd: join(folder, "shop"), env, encoding: "utf8" });
  const [first, again] = [publish(), publish()];
  expect(first.stderr).toBe("");
  expect([first.stdout, again.stdout]).toEqual([expect.stringMatching(/^\('[0-9a-f-]{36}', 1\)\n$/), first.stdout]);
  await vi.waitFor(() => expect(receiver.printed()).toMatch(/^StockLow .*\n/), SOON);
  const forged = await fetch(url, { method: "POST", body: "{}", headers: { "webhook-id": "x" } });
  expect(forged.status).toBe(400);
});

test.each([SHOP, MCP, WEB, join(WEB, "next")].flatMap((samples) => globSync(`${samples}/*.{js,mjs,py}`)))(
  "a page shows %s as it is",
  (path) => {
    const language = path.endsWith(".py") ? "py" : "js";
    const ofShop = language === "py" ? "python" : "add-to-your-product";
    const page = path.startsWith(WEB) ? "web-session" : path.startsWith(MCP) ? "mcp" : ofShop;
    expect(readFileSync(`src/docs/pages/${page}.md`, "utf8")).toContain(
      `\`\`\`${language}\n${readFileSync(path, "utf8")}\`\`\`\n`,
    );
  },
);
