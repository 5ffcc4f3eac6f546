/** The console's pages of feeds: the token that is shown once, consumers and their lag, and who may do what. */
import { describe, expect, test } from "vitest";
import { call, signUp, signUpVerified } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { joinTenant } from "../support/people";
import { publish } from "../support/receiver";

const TOKEN = /psf_[0-9A-Za-z]{40}/;

/** Creates a feed, and returns its page's path and its token. */
async function create(browser: ConsoleBrowser, fields: Record<string, string> = {}) {
  const { status, html } = await browser.post("/feeds", { name: "Billing", events: "*", ...fields });
  expect(status).toBe(201);
  const [path = ""] = html.match(/\/feeds\/[0-9a-f-]{36}/) ?? [];
  return { path, token: html.match(TOKEN)?.[0] ?? "" };
}

describe("a feed in the console", () => {
  test("is created with a token, which is shown once and reads the feed", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    expect((await browser.get("/feeds")).html).toContain("No feeds yet");
    const { path, token } = await create(browser, { events: "order.*\nOrderPaid, Other" });
    expect((await call("GET", path, { token: owner.token })).body.data).toMatchObject({
      name: "Billing",
      events: ["order.*", "OrderPaid", "Other"],
    });
    expect((await call("GET", `${path}/events`, { token })).status).toBe(200);
    const later = await browser.get(path);
    expect([later.status, later.html.includes(token), TOKEN.test(later.html)]).toEqual([200, false, false]);
    expect((await browser.get("/feeds")).html).toContain("Billing");
  });

  test("shows what each consumer has not read, moves it and forgets it", async () => {
    const owner = await signUpVerified();
    const browser = await holding(owner);
    const { path, token } = await create(browser);
    await call("GET", `${path}/events?consumer=billing`, { token });
    for (const payload of [1, 2]) await publish(owner, payload);
    expect((await browser.get(path)).html).toMatch(/billing.*2 events wait/s);
    expect((await browser.post(`${path}/consumers/billing/now`, {})).status).toBe(303);
    expect((await browser.get(path)).html).toMatch(/billing.*has read everything/s);
    await browser.post(`${path}/consumers/billing/oldest`, {});
    expect((await browser.get(path)).html).toMatch(/billing.*2 events wait/s);
    expect((await browser.post(`${path}/consumers/billing/forget`, {})).status).toBe(303);
    expect((await browser.get(path)).html).toContain("No consumers yet");
  });

  test("gets a new token, at once or with an overlap, new settings, and is deleted", async () => {
    const browser = await holding(await signUpVerified());
    const { path, token } = await create(browser);
    const replaced = await browser.post(`${path}/token`, { overlapSeconds: "3600" });
    const second = replaced.html.match(TOKEN)?.[0] ?? "";
    const works = async (of: string) => (await call("GET", `${path}/events`, { token: of })).status;
    expect([replaced.status, await works(token), await works(second)]).toEqual([201, 200, 200]);
    await browser.post(`${path}/token`, { overlapSeconds: "0" });
    expect([await works(token), await works(second)]).toEqual([401, 401]);
    expect((await browser.post(path, { name: "Ledger", events: "Other" })).status).toBe(303);
    expect((await browser.get(path)).html).toContain("Ledger");
    const refused = await browser.post(path, { name: "", events: "Other" });
    expect([refused.status, refused.html.includes('aria-invalid="true"')]).toEqual([400, true]);
    expect((await browser.get(`${path}/delete`)).html).toContain("Delete Ledger?");
    expect((await browser.post(`${path}/delete`, {})).status).toBe(303);
    expect((await browser.get(path)).status).toBe(404);
  });

  test("can be read by a viewer, who changes nothing, and not by other tenants or plain members", async () => {
    const owner = await signUpVerified();
    const { path } = await create(await holding(owner));
    const viewer = await holding(await joinTenant(owner, "viewer"));
    const { status, html } = await viewer.get(path);
    expect([status, /<form[^>]*feeds/.test(html)]).toEqual([200, false]);
    expect(/<form[^>]*feeds/.test((await viewer.get("/feeds")).html)).toBe(false);
    const stranger = await holding(await signUp());
    const member = await holding(await joinTenant(owner, "member"));
    expect([(await stranger.get(path)).status, (await member.get(path)).status]).toEqual([404, 403]);
    for (const write of ["", "/token", "/consumers/x/now", "/consumers/x/forget", "/delete"]) {
      const fields = { name: "x", events: "*", overlapSeconds: "0" };
      expect([write, (await viewer.post(path + write, fields)).status]).toEqual([write, 403]);
      expect([write, (await stranger.post(path + write, fields)).status]).toEqual([write, 404]);
    }
    expect((await viewer.post("/feeds", { name: "x", events: "*" })).status).toBe(403);
  });
});
