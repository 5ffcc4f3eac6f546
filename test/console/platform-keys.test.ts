/** The operator's pages of platform keys: making one that is shown once, replacing and ending it. */
import { describe, expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { operator } from "../support/operators";
import { tire } from "../support/people";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { codeOf } from "../support/two-factor";

const HERE = "/operator/keys";
const FIELDS = { name: "shop backend", scopes: ["tenants.read", "events.publish"] };
const keyIn = (html: string) => html.match(/psk_[0-9A-Za-z]{40}/)?.[0] ?? "";
/** Whether a key opens anything. */
const opens = async (key: string) => (await callAs(key, "", "GET", "/platform/tenants?limit=1")).status === 200;
const create = (browser: ConsoleBrowser, fields: Record<string, string | string[]> = {}) =>
  browser.post(`${HERE}/new`, { ...FIELDS, ...fields });

describe("a platform key in the console", () => {
  test("is made from the form, shown once, and works", async () => {
    const browser = await holding(await operator());
    expect((await browser.get("/operator")).html).toContain('href="/console/operator/keys"');
    expect((await browser.get(`${HERE}/new`)).html).toContain("Create, change, suspend and delete tenants");
    const { status, html } = await create(browser);
    expect([status, html.includes("Copy the key now")]).toEqual([200, true]);
    const key = keyIn(html);
    expect(await opens(key)).toBe(true);
    const list = (await browser.get(HERE)).html;
    expect(list).toContain("shop backend");
    expect(list).toContain(`${key.slice(0, 8)}…`);
    expect(list).not.toContain(key);
  });

  test("is limited to tenants, one a line, and the list leads to them", async () => {
    const [browser, { tenantId }] = [await holding(await operator()), await signUpVerified()];
    const name = crypto.randomUUID();
    expect((await create(browser, { name, tenants: `${tenantId}\n` })).status).toBe(200);
    const list = (await browser.get(HERE)).html;
    expect(list).toContain("In 1 tenant only");
    expect(list).toContain(`/console/operator/tenants/${tenantId}`);
    const missing = await create(browser, { tenants: "ext:nobody-at-all" });
    expect([missing.status, missing.html.includes("Tenant not found")]).toEqual([404, true]);
    expect(missing.html).toContain("ext:nobody-at-all");
  });

  test.each([
    [{ name: " " }, "name-error"],
    [{ scopes: [] }, "Enter at least one"],
    [{ scopes: ["users.read"], tenants: "x" }, "people belong to no single tenant"],
    [{ expiresAt: "31" }, "expiresAt-error"],
  ])("is refused for %j, with what was typed", async (fields, said) => {
    const browser = await holding(await operator());
    const { status, html } = await create(browser, { name: "kept", ...fields });
    expect([status, html.includes(said)]).toEqual([400, true]);
    expect(keyIn(html)).toBe("");
  });

  test("is replaced; the former one works on until it is ended", async () => {
    const { id, key: former } = await newPlatformKey();
    const browser = await holding(await operator());
    expect((await browser.get(`${HERE}/${id}/rotate`)).html).toContain("The former key works for");
    const rotated = await browser.post(`${HERE}/${id}/rotate`, { overlapSeconds: "86400" });
    const key = keyIn(rotated.html);
    expect([rotated.status, rotated.html.includes("The former key works until")]).toEqual([200, true]);
    expect([await opens(key), await opens(former)]).toEqual([true, true]);
    const again = await browser.post(`${HERE}/${id}/rotate`, { overlapSeconds: "86400" });
    expect([again.status, again.html.includes("The former key still works.")]).toEqual([409, true]);
    expect((await browser.get(`${HERE}/${id}/previous/end`)).html).toContain("End the former key of shop?");
    const ended = await browser.follow(await browser.post(`${HERE}/${id}/previous/end`));
    expect(ended.html).toContain("The former key has ended.");
    expect([await opens(key), await opens(former)]).toEqual([true, false]);
  });

  test("is revoked after a question, and then its pages do not exist", async () => {
    const { id, key } = await newPlatformKey();
    const browser = await holding(await operator());
    expect((await browser.get(`${HERE}/${id}/revoke`)).html).toContain("Revoke shop?");
    const done = await browser.follow(await browser.post(`${HERE}/${id}/revoke`));
    expect(done.html).toContain("Platform key revoked.");
    expect(await opens(key)).toBe(false);
    for (const page of ["rotate", "revoke", "previous/end"]) {
      expect((await browser.get(`${HERE}/${id}/${page}`)).status).toBe(404);
    }
    expect((await browser.post(`${HERE}/${id}/rotate`, { overlapSeconds: "1" })).status).toBe(404);
    expect((await browser.post(`${HERE}/${id}/rotate`, { overlapSeconds: "" })).status).toBe(404);
  });
});

describe("the pages of platform keys", () => {
  const PATHS = ["", "/new", "/x/rotate", "/x/revoke", "/x/previous/end"];

  test("do not exist for people who are no operators", async () => {
    const browser = await holding(await signUpVerified());
    for (const path of PATHS) expect([path, (await browser.get(HERE + path)).status]).toEqual([path, 404]);
    for (const path of PATHS.slice(1)) expect([path, (await browser.post(HERE + path)).status]).toEqual([path, 404]);
  });

  test("ask for the second factor before anything is typed, and keep what was typed", async () => {
    const op = await operator();
    const browser = await holding(op);
    await tire(op);
    expect((await browser.get(HERE)).status).toBe(200);
    const asked = await browser.get(`${HERE}/new`);
    expect([asked.status, asked.location]).toEqual([303, expect.stringContaining("/security/confirm?to=")]);
    const before = (await call("GET", "/platform/keys", { token: op.token })).body.data.length;
    const sent = await create(browser, { name: "kept & carried", tenants: "ext:a\next:b" });
    const confirmation = await browser.follow(sent);
    const [, to = ""] = confirmation.html.match(/name="to" value="([^"]+)"/) ?? [];
    const fields = { totp: codeOf(op.secret), to: to.replaceAll("&amp;", "&") };
    const { html } = await browser.follow(await browser.post("/security/confirm", fields));
    expect(html).toContain('value="kept &amp; carried"');
    expect(html).toMatch(/value="events\.publish" checked/);
    expect(html).toMatch(/ext:a\s+ext:b/);
    expect((await call("GET", "/platform/keys", { token: op.token })).body.data).toHaveLength(before);
  });
});
