/** The console's cookie is replaced every hour, and a copy of it does not live on beside it. */
import { afterEach, expect, test, vi } from "vitest";
import { call, newAddress, signUpVerified } from "../support/client";
import { type ConsoleBrowser, signedIn, visit } from "../support/console";
import { mailTo } from "../support/mailbox";
import { invite } from "../support/people";

const MINUTE_MS = 60_000;
const COOKIE = "__Host-postern-session";
const FIREFOX = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

afterEach(() => void vi.useRealTimers());

const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
const cookieOf = (browser: ConsoleBrowser) => browser.jar.get(COOKIE) ?? "";

/** Another browser with the same cookie. */
function copyOf(browser: ConsoleBrowser): ConsoleBrowser {
  const copy = visit();
  copy.jar.set(COOKIE, cookieOf(browser));
  return copy;
}

test("a cookie is replaced once it is an hour old, by one of several parallel requests", async () => {
  const browser = await signedIn(await signUpVerified());
  const first = cookieOf(browser);
  pass(59);
  expect((await browser.get("")).cookies).toEqual([]);
  pass(2);
  const pages = await Promise.all(Array.from({ length: 10 }, () => browser.get("")));
  expect(pages.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(pages.flatMap(({ cookies }) => cookies)).toHaveLength(1);
  expect(cookieOf(browser)).not.toBe(first);
  expect((await browser.get("")).status).toBe(200);
});

test("a copied cookie ends the session when the other one has been replaced, and the user is told", async () => {
  const person = await signUpVerified();
  const browser = await signedIn(person);
  const thief = copyOf(browser);
  pass(61);
  expect((await browser.get("")).status).toBe(200);
  pass(2);
  expect((await thief.get("", FIREFOX)).location).toMatch(/sign-in/);
  expect((await browser.get("")).location).toMatch(/sign-in/);
  await mailTo(person.email, /ended for your safety/);
  vi.useRealTimers();
  const { data } = (await call("GET", "/audit?action=auth.refresh_reused", { token: person.token })).body;
  expect(data).toHaveLength(1);
});

test("the user finds the session ended when a thief has replaced the cookie first", async () => {
  const browser = await signedIn(await signUpVerified());
  const thief = copyOf(browser);
  pass(61);
  expect((await thief.get("", FIREFOX)).status).toBe(200);
  pass(2);
  expect((await browser.get("")).location).toMatch(/sign-in/);
  expect((await thief.get("", FIREFOX)).location).toMatch(/sign-in/);
});

test("a request that was under way with the former cookie works", async () => {
  const browser = await signedIn(await signUpVerified());
  const late = copyOf(browser);
  pass(61);
  await browser.get("");
  expect((await late.get("")).status).toBe(200);
  expect((await browser.get("")).status).toBe(200);
});

test("a browser that lost the answer with the new cookie gets it again", async () => {
  const browser = await signedIn(await signUpVerified());
  const before = cookieOf(browser);
  pass(61);
  await browser.get("");
  browser.jar.set(COOKIE, before);
  pass(30);
  const page = await browser.get("");
  expect([page.status, page.cookies.length]).toEqual([200, 1]);
  expect((await browser.get("")).status).toBe(200);
});

test("a copy from before a switch of tenants does not work when the session comes back", async () => {
  const [host, person] = [await signUpVerified(), await signUpVerified()];
  const token = await invite(host, person.email, "admin");
  await call("POST", "/invitations/accept", { token: person.token, body: { token } });
  const browser = await signedIn(person);
  await browser.post("/tenants/switch", { tenantId: person.tenantId });
  const copy = copyOf(browser);
  pass(1);
  for (const tenantId of [host.tenantId, person.tenantId]) {
    expect((await browser.post("/tenants/switch", { tenantId })).status).toBe(303);
    expect((await browser.get("")).status).toBe(200);
  }
  expect((await copy.get("", { "cf-connecting-ip": newAddress() })).location).toMatch(/sign-in/);
  expect((await browser.get("")).status).toBe(200);
});

const SCRIPT = { "sec-fetch-dest": "empty" };

test("a part that the page's script fetches changes no cookie, so it takes away none of another tab", async () => {
  const [host, person] = [await signUpVerified(), await signUpVerified()];
  const token = await invite(host, person.email, "admin");
  await call("POST", "/invitations/accept", { token: person.token, body: { token } });
  const browser = await signedIn(person);
  const before = copyOf(browser);
  await browser.post("/tenants/switch", { tenantId: person.tenantId });
  await browser.post("/tenants/switch", { tenantId: host.tenantId });
  // It was sent before the switch, and is answered after it.
  const late = await before.get("/webhooks", { ...SCRIPT, "cf-connecting-ip": browser.address });
  expect([late.status, late.cookies]).toEqual([303, []]);
  await browser.get("");
  pass(61);
  expect((await browser.get("", SCRIPT)).cookies).toEqual([]);
  expect((await browser.get("")).cookies).toHaveLength(1);
});

test("a part that the script fetches with the former cookie neither ends the session nor sets a cookie", async () => {
  const browser = await signedIn(await signUpVerified());
  const before = cookieOf(browser);
  pass(61);
  await browser.get("");
  browser.jar.set(COOKIE, before);
  pass(30);
  const part = await browser.get("", SCRIPT);
  expect([part.status, part.cookies]).toEqual([200, []]);
  expect((await browser.get("")).cookies).toHaveLength(1);
});
