/** From an address to the provider of its tenant: who is led there, and what strangers learn. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, test, vi } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import { linkFor } from "../../src/sign-on/discovery/link";
import { isSignOnUsed } from "../../src/sign-on/discovery/used";
import { call, newAddress, newEmail, type Person } from "../support/client";
import { costOf, rowsRead } from "../support/cost";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { type Browser, newBrowser } from "../support/oauth";
import { arrive, type Connection, newConnection, newTenant, wordOf } from "../support/signed-on";

/** Browsers come back to the console. */
const CONSOLE = { APP_URL: "https://postern.test/console" };
const depsOf = () => createDeps(env, createExecutionContext());
let known: Connection;
let open: Connection;
let owner: Person;

beforeAll(async () => {
  ({ owner, connection: known } = await newTenant());
  ({ connection: open } = await newTenant({ discovery: "domain" }));
});

const at = ({ domain }: Connection) => `ada-${crypto.randomUUID()}@${domain}`;

/** The page that a browser goes on to by itself. */
const providerIn = (headers: Headers) => new URL(headers.get("refresh")?.slice("0;url=".length) ?? "");

/** Where the address leads in a browser; "null" for nowhere. */
async function discover(email: string, browser: Browser = newBrowser()): Promise<string> {
  const { status, body } = await browser.send("POST", "/api/v1/auth/sign-on/discover", { body: { email } });
  if (status !== 200) throw new Error(`discover answered ${status}`);
  return new URL(body.data.signOn ?? "null:").searchParams.get("connection") ?? "null";
}

/** A browser in which somebody has signed on. */
async function browserOf(connection: Connection): Promise<Browser> {
  const { browser, code } = await arrive(wordOf(connection));
  await browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
  return browser;
}

test("an address leads to a provider where the tenant lets everybody, or the browser has signed on", async () => {
  const [withKnown, withOpen] = [await browserOf(known), await browserOf(open)];
  expect(await discover(at(open))).toBe(open.id);
  expect(await discover(at(known))).toBe("null");
  expect(await discover(at(known), withKnown)).toBe(known.id);
  // Each browser is known to one connection, and to those of no other tenant.
  expect([await discover(at(known), withOpen), await discover(newEmail(), withKnown)]).toEqual(["null", "null"]);
  const body = { email: at(open) };
  const { signOn } = (await call("POST", "/auth/sign-on/discover", { body })).body.data;
  expect(signOn).toBe(
    `https://postern.test/api/v1/auth/sign-on?${new URLSearchParams({ connection: open.id, login_hint: body.email })}`,
  );
});

test("a domain that is lost or waits for a review, or whose connection is off, or one of several, leads nowhere", async () => {
  const change = async (sql: string, { id, domain }: Connection) => {
    await env.DB.prepare(sql)
      .bind(sql.includes("domains") ? domain : id)
      .run();
    return discover(`ada@${domain}`);
  };
  const { connection: other } = await newTenant({ discovery: "domain" });
  expect(await change("UPDATE domains SET state = 'lost' WHERE domain = ?", other)).toBe("null");
  expect(await change("UPDATE domains SET state = 'proved' WHERE domain = ?", other)).toBe(other.id);
  expect(await change("UPDATE domains SET needs_review = 1 WHERE domain = ?", other)).toBe("null");
  expect(await change("UPDATE domains SET needs_review = 0 WHERE domain = ?", other)).toBe(other.id);
  expect(await change("UPDATE connections SET needs_review = 1 WHERE id = ?", other)).toBe("null");
  expect(await change("UPDATE connections SET needs_review = 0, state = 'disabled' WHERE id = ?", other)).toBe("null");
  expect(await change("UPDATE connections SET state = 'active' WHERE id = ?", other)).toBe(other.id);
  await newConnection(other.tenantId, { discovery: "domain" });
  expect(await discover(at(other))).toBe("null");
});

/** An answer without what differs between any two requests. */
async function shown(path: string, email: string) {
  const { status, headers, body } = await call("POST", `/auth/sign-on/${path}`, {
    body: { email },
    headers: { "cf-connecting-ip": newAddress() },
  });
  return [status, body, [...headers].filter(([name]) => !/^(x-request-id|ratelimit-reset)$/.test(name))];
}

test.each(["discover", "mail"])("%s answers strangers the same for every address, byte for byte", async (path) => {
  const pairs = Array.from({ length: 20 }, async (_, pair) => [
    await shown(path, at(known)),
    await shown(path, pair % 2 === 0 ? newEmail() : owner.email),
  ]);
  for (const [ofCustomer, ofStranger] of await Promise.all(pairs)) expect(ofCustomer).toEqual(ofStranger);
});

test("an address of a tenant that requires sign-on, or whose connection is off, is answered as a stranger's, and others but for the URL", async () => {
  const [strict, off] = [(await newTenant()).connection, (await newTenant({ discovery: "domain" })).connection];
  await env.DB.batch([
    env.DB.prepare("UPDATE tenants SET sign_on = 'domains', sign_on_from = 1, sign_on_begun_at = 1 WHERE id = ?").bind(
      strict.tenantId,
    ),
    env.DB.prepare("UPDATE connections SET state = 'disabled' WHERE id = ?").bind(off.id),
  ]);
  const stranger = await shown("discover", newEmail());
  for (const connection of [known, strict, off]) expect(await shown("discover", at(connection))).toEqual(stranger);
  const [status, body, headers] = await shown("discover", at(open));
  expect([status, { ...body, data: { signOn: null } }, headers]).toEqual(stranger);
});

test("discovering takes one trip and reads three rows at most, whoever asks", async () => {
  for (const email of [at(known), at(open), newEmail()]) {
    rowsRead.count = 0;
    const cost = await costOf("POST", "/auth/sign-on/discover", { body: { email } });
    expect([cost.status, cost.trips, cost.rowsWritten]).toEqual([200, 1, 0]);
    expect(rowsRead.count).toBeLessThanOrEqual(3);
  }
});

test("a mailed link begins with a button, works once of 20, and only for a domain of a tenant", async () => {
  const [email, stranger] = [at(known), newEmail()];
  for (const to of [email, stranger]) {
    const answer = await call("POST", "/auth/sign-on/mail", { body: { email: to, to: "/orders" } });
    expect([answer.status, answer.body]).toEqual([200, { message: "Check your mail." }]);
  }
  const mail = await mailTo(email, /Sign in with your organisation/);
  expect(mail.text).toContain("https://postern.test/account/sign-on?token=");
  const token = decodeURIComponent(tokenIn(mail));
  const page = await newBrowser().send("GET", `/account/sign-on?${new URLSearchParams({ token })}`);
  expect([page.status, page.body]).toEqual([200, expect.stringContaining('action="/account/sign-on"')]);
  const follow = (browser: Browser) => browser.send("POST", "/account/sign-on", { form: { token } });
  const browsers = Array.from({ length: 20 }, () => newBrowser());
  const answers = await Promise.all(browsers.map(follow));
  const led = answers.filter(({ status }) => status === 200);
  expect([led.length, answers.filter(({ status }) => status === 400).length]).toEqual([1, 19]);
  const provider = providerIn(led[0]?.headers ?? new Headers());
  expect([provider.host, provider.searchParams.get("login_hint")]).toEqual(["id.issuer.example", email]);
  expect(mailsTo(stranger)).toEqual([]);
});

test("a link that is late, of another key, or for a tenant that has no connection any more is over", async () => {
  const deps = await depsOf();
  const leaving = { email: at(known), to: "", isForApps: false };
  const queuedAt = (minutes: number) => linkFor(deps, newIdAt(deps.now() - minutes * 60_000), leaving);
  expect(await queuedAt(15)).toBeNull();
  const nearlyLate = new URL((await queuedAt(14)) ?? "").searchParams.get("token") ?? "";
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  const late = await newBrowser().send("POST", "/account/sign-on", { form: { token: nearlyLate } });
  vi.useRealTimers();
  const foreign = await newBrowser().send("POST", "/account/sign-on", { form: { token: `${nearlyLate}x` } });
  expect([late.status, foreign.status]).toEqual([400, 400]);
});

test("a bad address is refused", async () => {
  for (const path of ["discover", "mail"]) {
    expect((await call("POST", `/auth/sign-on/${path}`, { body: { email: "ada" } })).status).toBe(400);
  }
});

/** The pages ask for the address while somebody signs on, which an isolate learns within a minute. */
async function whileUsed(work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  try {
    expect(await isSignOnUsed(await depsOf())).toBe(true);
    await work();
  } finally {
    vi.useRealTimers();
  }
}

test("the console asks for the address first, and then shows everybody every way to sign in", async () => {
  await whileUsed(async () => {
    const browser = newBrowser(CONSOLE);
    const first = await browser.send("GET", "/console/sign-in?to=/console/people");
    expect(first.body).toContain('action="/console/sign-in/address"');
    expect(first.body).not.toContain('name="password"');
    const pages = [];
    for (const email of [at(known), newEmail(), owner.email]) {
      const form = { email, to: "/console/people" };
      const { status, body } = await browser.send("POST", "/console/sign-in/address", { form });
      expect([status, body.includes('name="password"')]).toEqual([200, true]);
      pages.push(body.replaceAll(email, "").replaceAll(UNLIKE, ""));
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('action="/console/sign-in/sign-on"');
    expect(pages[0]).toContain('href="/console/sign-in/mail');
  });
});

/** What differs between any two pages. */
const UNLIKE = /nonce="[^"]*"|data-options="[^"]*"|name="state" value="[^"]*"/g;

test.each(["console", "account"])("the pages of the %s lead on to the provider, and mail a link", async (mount) => {
  const browser = newBrowser(CONSOLE);
  const to = { email: at(open), to: "" };
  const { headers, body } = await browser.send("POST", `/${mount}/sign-in/address`, { form: to });
  expect(providerIn(headers).host).toBe("id.issuer.example");
  expect(body).toContain('href="https://id.issuer.example/authorize');
  expect([...browser.jar.keys()]).toEqual(["__Host-postern-oauth-flow"]);
  const email = at(known);
  const mailed = await newBrowser(CONSOLE).send("POST", `/${mount}/sign-in/sign-on`, { form: { email, to: "" } });
  expect([mailed.status, mailed.body]).toEqual([200, expect.stringContaining("Check your mail")]);
  await mailTo(email, /Sign in with your organisation/);
});

test("somebody whom an app has sent comes back to the pages for apps", async () => {
  const browser = newBrowser();
  const form = { email: at(open), to: "" };
  const { headers } = await browser.send("POST", "/account/sign-in/address?r=asked", { form });
  const state = providerIn(headers).searchParams.get("state");
  const answer = `state=${state}&error=access_denied`;
  const back = await browser.send("GET", `/api/v1/auth/sign-on/${open.id}/callback?${answer}`);
  const page = new URL(back.location ?? "");
  expect([page.pathname, page.searchParams.get("r")]).toEqual(["/account/oauth", "asked"]);
});

test("while nobody signs on, the pages for signing in stay as they are", async () => {
  const off = newBrowser({ ...CONSOLE, SIGN_ON: "off" });
  expect((await off.send("GET", "/console/sign-in")).body).toContain('name="password"');
  for (const [method, path] of [
    ["POST", "/console/sign-in/address"],
    ["POST", "/account/sign-in/sign-on"],
    ["GET", "/account/sign-on"],
    ["POST", "/api/v1/auth/sign-on/discover"],
  ] as const) {
    expect((await off.send(method, path)).status).toBe(404);
  }
  const withoutApps = newBrowser({ OAUTH_SERVER: "off" });
  expect((await withoutApps.send("GET", "/account/sign-on?token=x")).status).toBe(200);
});
