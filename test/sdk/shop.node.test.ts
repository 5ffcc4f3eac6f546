/** The shop of "Add Postern to your product", run against `npm run dev`, with what its two customers run. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "../../src/sdk/client";
import { type DevServer, freePort, startDevServer } from "../browser/dev-server.ts";

const SHOP = "src/docs/pages/shop";
const PASSWORD = "correct horse battery staple";
const SOON = { timeout: 40_000, interval: 200 };
const [ADA, BEN, CARL] = ["ada@tea-house.example", "ben@book-barn.example", "carl@tea-house.example"];

const folder = mkdtempSync(join(tmpdir(), "postern-shop-"));
const programs: ChildProcess[] = [];
let server: DevServer;
let shopUrl: string;
let platformKey: string;
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
  return { printed: () => output };
}

/** Waits until a program listens: a delivery that came before would be tried again much later. */
const listens = (port: number) =>
  vi.waitFor(async () => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.end();
  }, SOON);

const tokenOf = (link: string) => new URL(link).searchParams.get("token") ?? "";

/** Sends a form of the shop. Returns the status, the title of the page and the cookie that was set, if any. */
async function send(path: string, fields: Record<string, string>, cookie = "") {
  const answer = await fetch(`${shopUrl}${path}`, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { cookie },
    redirect: "manual",
  });
  const set = answer.headers.get("set-cookie")?.split(";")[0];
  return { status: answer.status, text: await answer.text(), cookie: set ?? cookie };
}

/** Publishes what has happened on the platform, without waiting for the next run of the job. */
async function tellOfPeople(): Promise<void> {
  const answer = await fetch(`${server.base}/cdn-cgi/local/scheduled?cron=*+*+*+*+*`);
  expect(answer.status).toBe(200);
}

const homeOf = async (cookie: string) => (await fetch(`${shopUrl}/`, { headers: { cookie } })).text();
const signIn = async (email: string) => (await send("/sign-in", { email, password: PASSWORD })).cookie;
const order = async (item: string, cookie: string) => (await send("/orders", { item }, cookie)).status;

/** Opens the page that a mail leads to, and sends its form. */
async function followMail(to: string, subject: RegExp, fields: Record<string, string> = {}, cookie = "") {
  const link = await server.mailedLink(to, subject);
  expect(link).toMatch(new RegExp(`^${shopUrl}/`));
  const page = await fetch(link);
  expect([page.headers.get("referrer-policy"), await page.text()]).toEqual([
    "no-referrer",
    expect.stringContaining(tokenOf(link)),
  ]);
  return send(new URL(link).pathname, { token: tokenOf(link), ...fields }, cookie);
}

async function clientOf(email: string) {
  const client = createClient({ baseUrl: server.base });
  await client.auth.login({ email, password: PASSWORD });
  return client;
}

beforeAll(async () => {
  const modules = ["client", "receive", "session"].map((name) => [`${name}/index`, `src/sdk/${name}/index.ts`]);
  await build({
    input: Object.fromEntries(modules),
    transform: { target: "es2022" },
    output: { dir: join(folder, "node_modules/postern/dist"), entryFileNames: "[name].js" },
    logLevel: "silent",
  });
  copyFileSync("package.json", join(folder, "node_modules/postern/package.json"));
  cpSync(SHOP, join(folder, "shop"), { recursive: true });
  copyFileSync("src/docs/pages/verify/verify.py", join(folder, "shop/verify.py"));
  const shopPort = await freePort();
  shopUrl = `http://localhost:${shopPort}`;
  server = await startDevServer(await freePort(), { url: "https://id.example" }, [`APP_URL:${shopUrl}`]);
  platformKey = await server.platformKey();
  shop = start(process.execPath, ["shop.mjs"], {
    POSTERN_URL: server.base,
    PLATFORM_KEY: platformKey,
    SHOP_SECRET: "a-long-random-text",
    PORT: String(shopPort),
  });
  await vi.waitFor(() => expect(shop.printed()).toContain("The shop is open"), SOON);
  for (const email of [ADA, BEN]) {
    expect((await followMail(email, /Reset/, { password: PASSWORD })).status).toBe(200);
  }
});

afterAll(async () => {
  for (const program of programs) program.kill();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("an order reaches the systems of its customer, once, and of no other", async () => {
  const inboxes = [];
  for (const email of [ADA, BEN]) {
    const port = await freePort();
    const env = { SECRET: `secret of ${email}`, PORT: String(port), CUSTOMER_DB: join(folder, `${email}.db`) };
    inboxes.push(start(process.execPath, ["customer.mjs"], env));
    await listens(port);
    const url = `http://127.0.0.1:${port}/`;
    await (await clientOf(email)).webhooks.create({ name: "erp", url, events: ["OrderPlaced"], secret: env.SECRET });
  }
  const cookie = await signIn(ADA);
  expect(await order("Assam", cookie)).toBe(201);
  const [tea, books] = inboxes;
  await vi.waitFor(() => expect(tea?.printed()).toMatch(/handled \[ \d+, 'Assam' \]/), SOON);
  expect(books?.printed()).not.toContain("Assam");
});

test("tokens are renewed once for requests that arrive together, and end with the session", async () => {
  const cookie = await signIn(BEN);
  const tokens = JSON.parse(Buffer.from(cookie.split("=")[1] ?? "", "base64url").toString());
  const stale = Buffer.from(JSON.stringify({ ...tokens, accessToken: "stale" })).toString("base64url");
  const pages = await Promise.all(Array.from({ length: 10 }, () => homeOf(`shop_session=${stale}`)));
  for (const page of pages) expect(page).toContain("You are owner");
  const again = await signIn(BEN);
  expect((await send("/sign-out", {}, again)).status).toBe(303);
  await vi.waitFor(async () => expect(await homeOf(again)).toContain("Sign in"), SOON);
});

test("the shop knows its people: invited, with another role, deleted", async () => {
  const cookie = await signIn(ADA);
  await (await clientOf(ADA)).invitations.create({ email: CARL, role: "viewer" });
  const accepted = await followMail(CARL, /invited/, { email: CARL, password: PASSWORD });
  expect(accepted.status).toBe(200);
  await tellOfPeople();
  await vi.waitFor(async () => expect(await homeOf(cookie)).toContain(`${CARL}: viewer`), SOON);
  expect(await order("Darjeeling", accepted.cookie)).toBe(403);

  const members = await (await clientOf(ADA)).members.list();
  const carl = members.find(({ email }) => email === CARL)?.userId ?? "";
  await (await clientOf(ADA)).members.changeRole(carl, "developer");
  await vi.waitFor(async () => expect(await order("Darjeeling", accepted.cookie)).toBe(201), SOON);
  await tellOfPeople();
  await vi.waitFor(async () => expect(await homeOf(cookie)).toContain(`${CARL}: developer`), SOON);

  const platform = createClient({ baseUrl: server.base, platformKey }).platform;
  await platform.users.delete(carl);
  await tellOfPeople();
  await vi.waitFor(async () => expect(await homeOf(cookie)).not.toContain(CARL), SOON);
});

test("the pages that mails lead to do what the mails say, and refuse what is not a token", async () => {
  const platform = createClient({ baseUrl: server.base, platformKey }).platform;
  const dora = "dora@tea-house.example";
  const { id } = await platform.users.create({ email: dora, password: PASSWORD });
  await platform.members.add("ext:tea-house", { user: id, role: "viewer" });
  await platform.users.mail(id, { kind: "verification" });
  expect((await followMail(dora, /Verify/)).text).toContain("verified");

  const client = await clientOf(dora);
  await client.auth.changeEmail({ email: "dora@new.example" });
  const cookie = await signIn(dora);
  expect((await followMail("dora@new.example", /Confirm your new/, {}, cookie)).status).toBe(200);
  expect((await client.auth.me()).email).toBe("dora@new.example");
  expect((await followMail(dora, /was changed/)).status).toBe(200);
  expect((await platform.users.get(id)).email).toBe(dora);

  for (const page of ["verify-email", "reset-password", "accept-invitation", "not-me", "remove-two-factor"]) {
    const fields = { token: "<script>", email: "x@example.com", password: PASSWORD };
    const { status, text } = await send(`/${page}`, fields);
    expect([page, status]).toEqual([page, expect.toSatisfy((code: number) => code >= 400 && code < 500)]);
    expect(text).not.toContain("<script>");
  }
  expect(shop.printed()).not.toMatch(/Error/);
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
  const env = { ...process.env, POSTERN_URL: server.base, PLATFORM_KEY: platformKey };
  const publish = () =>
    spawnSync("python3", ["-B", "-c", program], { cwd: join(folder, "shop"), env, encoding: "utf8" });
  const [first, again] = [publish(), publish()];
  expect(first.stderr).toBe("");
  expect([first.stdout, again.stdout]).toEqual([expect.stringMatching(/^\('[0-9a-f-]{36}', 1\)\n$/), first.stdout]);
  await vi.waitFor(() => expect(receiver.printed()).toMatch(/^StockLow .*\n/), SOON);
  const forged = await fetch(url, { method: "POST", body: "{}", headers: { "webhook-id": "x" } });
  expect(forged.status).toBe(400);
});

test.each(readdirSync(SHOP))("the page shows %s as it is", (file) => {
  const language = file.endsWith(".py") ? "py" : "js";
  const page = file.endsWith(".py") ? "python" : "add-to-your-product";
  expect(readFileSync(`src/docs/pages/${page}.md`, "utf8")).toContain(
    `\`\`\`${language}\n${readFileSync(join(SHOP, file), "utf8")}\`\`\`\n`,
  );
});
