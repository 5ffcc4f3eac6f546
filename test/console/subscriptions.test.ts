/** The console's pages for subscriptions and their logs. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { endWait, findWaiting } from "../../src/webhooks/resend/send-now-store";
import { call, eventually, type Person, setRole, signUp, verify } from "../support/client";
import { type ConsoleBrowser, holding } from "../support/console";
import { addDelivery, consumeBatch, makeDue, messageFor } from "../support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const PAGE_KIB = 100;

describe("subscriptions", () => {
  const FIELDS = {
    name: "orders",
    url: "https://example.com/hook",
    events: "OrderPaid, OrderShipped\n*",
    secret: "s3cret",
  };

  async function created(): Promise<{ person: Person; browser: ConsoleBrowser; path: string; id: string }> {
    const person = await signUp();
    const browser = await holding(person);
    const { location } = await browser.post("/webhooks", FIELDS);
    const path = location?.replace("/console", "") ?? "";
    return { person, browser, path, id: path.split("/").at(-1) ?? "" };
  }

  test("are created, changed, paused, resumed and deleted as by the API; an empty secret keeps the old one", async () => {
    const { person, browser, path, id } = await created();
    const read = async () => (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;
    expect(await read()).toMatchObject({ events: ["OrderPaid", "OrderShipped", "*"], secret: "s3cret", enabled: true });
    await browser.post(path, { ...FIELDS, name: "renamed", secret: "" });
    expect(await read()).toMatchObject({ name: "renamed", secret: "s3cret", version: 1 });
    expect((await browser.follow(await browser.post(`${path}/pause`))).html).toContain("Resume</button>");
    expect((await read()).enabled).toBe(false);
    expect((await browser.follow(await browser.post(`${path}/resume`))).html).toContain("Pause</button>");
    expect((await browser.get(`${path}/delete`)).html).toContain("Delete “renamed”?");
    expect((await browser.follow(await browser.post(`${path}/delete`))).html).toContain("Subscription deleted.");
    expect((await call("GET", `/webhooks/${id}`, { token: person.token })).status).toBe(404);
  });

  test("show their secret only when it is asked for", async () => {
    const { browser, path } = await created();
    for (const page of [path, `${path}/edit`, "/webhooks"])
      expect((await browser.get(page)).html).not.toContain("s3cret");
    expect((await browser.get(`${path}?secret=shown`)).html).toContain("s3cret");
  });

  test("are searched by name and URL, 50 per page", async () => {
    const { person, browser } = await created();
    await verify(person.email);
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => subscribe(person, `https://example.com/%_${n}`, { name: `n${n}` })),
    );
    const rowsOf = (html: string) => html.match(/<tr><td/g)?.length ?? 0;
    const first = await browser.get("/webhooks");
    expect(rowsOf(first.html)).toBe(50);
    expect(rowsOf((await browser.get("/webhooks?q=&from=50")).html)).toBe(1);
    expect(rowsOf((await browser.get("/webhooks?q=ORDERS")).html)).toBe(1);
    expect(rowsOf((await browser.get("/webhooks?q=%25_4")).html)).toBe(11);
    expect((await browser.get("/webhooks?q=%3Cscript%3E")).html).toContain("Nothing matches “&lt;script&gt;”");
    const { data: hooks } = (await call("GET", "/webhooks", { token: person.token })).body;
    await call("POST", `/webhooks/${hooks[0]._id}/pause`, { token: person.token });
    const ofState = async (state: string) => rowsOf((await browser.get(`/webhooks?q=&state=${state}`)).html);
    expect([await ofState("paused"), await ofState("active"), await ofState("failing")]).toEqual([1, 50, 0]);
    for (const from of ["-1e99", "99999999999999999999", "9".repeat(400)]) {
      expect((await browser.get(`/webhooks?from=${from}`)).status).toBe(200);
    }
  });

  test("show content from users and receivers as text, on pages of bounded size", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const evil = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
    const id = await subscribe(person, newInbox("200").url, { name: evil, events: ["*"] });
    await publish(
      person,
      { [evil]: [evil, "x".repeat(200_000)] },
      { type: "<script>alert(2)</script>", correlationId: evil },
    );
    await endedAttempts(person, id, 1);
    await Promise.all(
      Array.from({ length: 55 }, (_, n) => publish(person, { n }, { type: `Type${n}`.padEnd(128, "x") })),
    );
    const rows = await endedAttempts(person, id, 50);
    const first = await deliveryDb
      .prepare("SELECT id FROM attempts WHERE subscription_id = ? AND event_type LIKE '<script%'")
      .bind(id)
      .first<{ id: string }>();
    const attempt = `/webhooks/${id}/attempts/${first?.id}`;
    expect(rows.length).toBe(50);
    for (const path of ["", "/webhooks", `/webhooks/${id}`, attempt]) {
      const { status, html } = await browser.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(html).not.toMatch(/<script>|<img|onerror=alert\(1\)>"/);
      expect(html.length / 1024, path).toBeLessThan(PAGE_KIB);
    }
    const download = await browser.get(`${attempt}/payload`);
    expect(download.headers.get("content-disposition")).toMatch(/^attachment; filename="[\w-]+\.json"$/);
    expect(JSON.parse(download.html)[evil][0]).toBe(evil);
  });
});

describe("the log", () => {
  test("is filtered and paged like the API's, and an invalid filter is shown at its field", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const id = await subscribe(person, newInbox("200").url, { events: ["*"] });
    await Promise.all(Array.from({ length: 51 }, () => publish(person, 1, { type: "Many" })));
    await publish(person, 1, { type: "Rare" });
    await endedAttempts(person, id, 50);
    await eventually(
      "52 rows",
      async () => (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data.success === 52,
    );
    const rowsOf = (html: string) => html.match(/<tr><td/g)?.length ?? 0;
    const first = await browser.get(`/webhooks/${id}`);
    expect(rowsOf(first.html)).toBe(50);
    const older = first.html.match(/href="\/console([^"]+cursor=[^"#]+)/)?.[1] ?? "";
    expect(rowsOf((await browser.get(older)).html)).toBe(2);
    expect(rowsOf((await browser.get(`/webhooks/${id}?eventType=Rare`)).html)).toBe(1);
    expect((await browser.get(`/webhooks/${id}?status=failed`)).html).toContain("No attempt matches");
    const fragment = await browser.get(`/webhooks/${id}/log?eventType=Rare`);
    expect([rowsOf(fragment.html), fragment.html.startsWith("<section")]).toEqual([1, true]);
    const bad = await browser.get(`/webhooks/${id}?status=bogus`);
    expect([bad.status, bad.html.includes('id="status-error"')]).toEqual([400, true]);
  });

  test("retries one failed delivery, or all of them", async () => {
    const person = await signUp();
    const browser = await holding(person);
    const id = await subscribe(person, newInbox("500").url);
    const key = await addDelivery(person, id);
    for (const queue of ["postern-deliveries", "postern-deliveries-slow", "postern-deliveries-slow"]) {
      await consumeBatch([messageFor(await makeDue(key))], queue);
    }
    const [row] = await endedAttempts(person, id, 3);
    const path = `/webhooks/${id}/attempts/${row._id}`;
    const opened = await browser.get(path);
    expect(opened.html).toContain("Attempts of this delivery");
    expect(opened.html.match(/500 Internal Server Error/g)?.length).toBeGreaterThanOrEqual(4);
    expect(opened.html).toContain("X-Webhook-Signature");
    expect((await browser.get("")).html).toMatch(/Needs attention.*500 Internal Server Error; 3 failed attempts/s);
    const inbox = newInbox("200");
    await browser.post(`/webhooks/${id}`, { name: "t", url: inbox.url, events: "OrderPaid", secret: "" });
    expect((await browser.post(`${path}/retry`)).location).toBe(`/console/webhooks/${id}#log`);
    await inbox.arrived(1);
    const replay = { which: "failed", period: "24", rate: "600" };
    await browser.post(`/webhooks/${id}/pause`);
    const paused = await browser.post(`/webhooks/${id}/replays`, replay);
    expect([paused.status, paused.html.includes("Resume the webhook first.")]).toEqual([409, true]);
  });
});

describe("a delivery that waits", () => {
  async function waiting(schedule: number[]) {
    const person = await signUp();
    const inbox = newInbox("500");
    const id = await subscribe(person, inbox.url, { delivery: { retry: { schedule } } });
    const key = await addDelivery(person, id);
    await consumeBatch([messageFor(key)]);
    const [attempt] = await endedAttempts(person, id, 1);
    const browser = await holding(person);
    return { person, inbox, id, key, browser, path: `/webhooks/${id}/attempts/${attempt._id}` };
  }

  test("shows when its next attempt comes, and makes it at once when asked", async () => {
    const { person, inbox, id, browser, path } = await waiting([14_400, 86_400]);
    expect((await browser.get(path)).html).toMatch(/Next attempt in (3 h 59 min|4 h( \d+ min)?) \(2 of 3\)/);
    expect((await browser.post(`${path}/now`)).status).toBe(303);
    await inbox.arrived(2);
    const rows = await endedAttempts(person, id, 2);
    expect(rows.map((row: { attemptCount: number }) => row.attemptCount)).toEqual([2, 1]);
    await eventually("the wait for the third", async () => (await browser.get(path)).html.includes("(3 of 3)"));
  });

  test("is shown on the page of its subscription, with the same button, unless that is paused or may not be changed", async () => {
    const { person, inbox, id, browser, path } = await waiting([14_400, 86_400]);
    const button = `action="/console${path}/now"`;
    const shown = async () => (await browser.get(`/webhooks/${id}`)).html;
    expect(await shown()).toMatch(/Next attempt in (3 h 59 min|4 h( \d+ min)?) \(2 of 3\)/);
    expect(await shown()).toContain(button);
    await call("POST", `/webhooks/${id}/pause`, { token: person.token });
    expect(await shown()).not.toContain(button);
    await call("POST", `/webhooks/${id}/resume`, { token: person.token });
    await setRole(person, "viewer");
    expect(await shown()).not.toContain(button);
    await setRole(person, "owner");
    await browser.post(`${path}/now`);
    await inbox.arrived(2);
    await eventually("the wait for the third", async () => (await shown()).includes("(3 of 3)"));
  });

  test("for a start under its subscription's limit is shown with that time, and without a button, because nobody can jump the line", async () => {
    const person = await signUp();
    const delivery = { rateLimit: { limit: 1, per: "hour" }, retry: { schedule: [1] } };
    const id = await subscribe(person, newInbox("500").url, { delivery });
    await publish(person, 1);
    const [attempt] = await endedAttempts(person, id, 1);
    const browser = await holding(person);
    const path = `/webhooks/${id}/attempts/${attempt._id}`;
    await eventually("the start", async () =>
      /Next attempt in (59 min|1 h)[^(]*\(2 of 2\)/.test((await browser.get(path)).html),
    );
    expect((await browser.get(path)).html).not.toContain(`${path}/now"`);
    expect((await browser.post(`${path}/now`)).status).toBe(404);
  });

  test("is the one that ends first, of several", async () => {
    const { person, id, browser, path } = await waiting([14_400]);
    await call("PATCH", `/webhooks/${id}`, {
      token: person.token,
      body: { delivery: { retry: { schedule: [86_400] } } },
    });
    await consumeBatch([messageFor(await addDelivery(person, id))]);
    await endedAttempts(person, id, 2);
    expect((await browser.get(`/webhooks/${id}`)).html).toContain(`action="/console${path}/now"`);
  });

  test("is queued once by ten presses at once", async () => {
    const { person, id, key } = await waiting([14_400]);
    const deps = await createDeps(env, createExecutionContext());
    const tenant = { tenantId: person.tenantId, shard: SHARD };
    const row = await findWaiting(deps, tenant, id, key.id);
    if (!row) throw new Error("the delivery does not wait");
    const presses = Array.from({ length: 10 }, (_, n) => endWait(deps, tenant, id, row, Date.now() + n));
    expect((await Promise.all(presses)).flat()).toHaveLength(1);
  });

  test("has no button for someone of another tenant, and the page is not theirs", async () => {
    const { path } = await waiting([14_400]);
    const stranger = await holding(await signUp());
    expect((await stranger.post(`${path}/now`)).status).toBe(404);
  });

  test("has ended: nothing is shown, and the button's address answers 404", async () => {
    const { browser, path } = await waiting([]);
    for (const page of [path, path.replace(/\/attempts.*/, "")]) {
      expect((await browser.get(page)).html).not.toContain("Next attempt");
    }
    expect((await browser.post(`${path}/now`)).status).toBe(404);
  });
});
