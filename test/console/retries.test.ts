/** The part of the console's form for subscriptions that says how they are retried, and when failures disable them. */
import { describe, expect, test } from "vitest";
import { call, signUp } from "../support/client";
import { holding } from "../support/console";
import { deliveryDb } from "../support/shard";

describe("the retry schedule", () => {
  const FIELDS = { name: "retries", url: "https://example.com/hook", events: "*", secret: "s3cret" };

  async function saved(fields: Record<string, string>) {
    const person = await signUp();
    const browser = await holding(person);
    const { location, status, html } = await browser.post("/webhooks", { ...FIELDS, ...fields });
    const id = location?.split("/").at(-1) ?? "";
    const { body } = await call("GET", `/webhooks/${id}`, { token: person.token });
    return { person, browser, id, status, html, delivery: body.data?.delivery };
  }

  test.each([
    [{}, undefined],
    [{ schedule: "default", delivery: "1h" }, undefined],
    [{ schedule: "standard" }, [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]],
    [{ schedule: "own", delivery: "30, 10m 2h" }, [30, 600, 7200]],
    [{ schedule: "own", delivery: "" }, []],
  ])("%j sets %j", async (fields, schedule) => {
    expect((await saved(fields)).delivery?.retry.schedule).toEqual(schedule);
  });

  test.each([
    ["soon", "Is not valid"],
    ["25h", "Must be at most 86400"],
    ["0", "Must be at least 1"],
    ["24h ".repeat(8), "Must add up to at most 604800 seconds"],
  ])("%j is refused at its field, and the form keeps it", async (delivery, message) => {
    const refused = await saved({ schedule: "own", delivery });
    expect(refused.status).toBe(400);
    expect(refused.html).toMatch(new RegExp(`id="delivery-error">[^<]*${message}`));
    expect(refused.html).toContain(`value="${delivery}"`);
    expect(refused.html).toContain('<option value="own" selected');
  });

  test("is shown as a calendar, and changed and reset in the form", async () => {
    const { person, browser, id } = await saved({ schedule: "own", delivery: "30, 10m, 2h" });
    const page = await browser.get(`/webhooks/${id}`);
    for (const moment of ["at once", "after 30 s", "after 10 min 30 s", "after 2 h 10 min"]) {
      expect(page.html).toContain(`<li>${moment}</li>`);
    }
    expect((await browser.get(`/webhooks/${id}/edit`)).html).toContain('value="30, 10m, 2h"');
    await browser.post(`/webhooks/${id}`, { ...FIELDS, schedule: "default" });
    const { body } = await call("GET", `/webhooks/${id}`, { token: person.token });
    expect(body.data).not.toHaveProperty("delivery");
  });

  test.each([
    ["schedule=own&delivery=30,10m", ["at once", "after 30 s", "after 10 min 30 s"]],
    ["schedule=default", ["at once", "after 5 s", "after 15 s"]],
    ["", ["at once", "after 5 s", "after 15 s"]],
    ["schedule=own&delivery=soon", null],
    ["schedule=own&delivery=24h+24h+24h+24h+24h+24h+24h+1", null],
  ])("the calendar of a form with %j lists %j", async (query, moments) => {
    const { status, html } = await (await holding(await signUp())).get(`/webhooks/calendar?${query}`);
    expect(status).toBe(200);
    const listed = [...html.matchAll(/<li>([^<]+)/g)].map(([, moment]) => moment);
    expect(listed).toEqual(moments ?? []);
    expect(html.includes("This is not a valid schedule.")).toBe(moments === null);
  });

  test("what answers do to retries is set in the form, shown again, and reset", async () => {
    const fields = { schedule: "default", respectRetryAfter: "yes", onGone: "disable", abortHeader: "yes" };
    const { person, browser, id, delivery } = await saved(fields);
    expect(delivery).toEqual({ retry: { respectRetryAfter: true, onGone: "disable", abortHeader: true } });
    const { html } = await browser.get(`/webhooks/${id}/edit`);
    for (const [name, value] of Object.entries(fields)) {
      expect(html).toMatch(new RegExp(`name="${name}"[^]*?<option value="${value}" selected`));
    }
    const change = async (answers: Record<string, string>) => {
      await browser.post(`/webhooks/${id}`, { ...FIELDS, ...answers });
      return (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data.delivery;
    };
    expect(await change({ respectRetryAfter: "no", onGone: "retry", abortHeader: "no" })).toEqual({
      retry: { respectRetryAfter: false, onGone: "retry" },
    });
    expect(await change({ respectRetryAfter: "default", onGone: "default", abortHeader: "no" })).toBeUndefined();
    const refused = await browser.post(`/webhooks/${id}`, { ...FIELDS, onGone: "ignore" });
    expect([refused.status, refused.html.includes('id="onGone-error"')]).toEqual([400, true]);
  });

  test("a subscription that is held or gone says so", async () => {
    const { browser, id } = await saved({});
    await deliveryDb
      .prepare(
        "UPDATE subscriptions SET held_until = ?, disabled_reason = 'gone', disabled_at = 1, enabled = 0 WHERE id = ?",
      )
      .bind(Date.now() + 60_000, id)
      .run();
    const { html } = await browser.get(`/webhooks/${id}`);
    expect(html).toContain("Deliveries wait until");
    expect(html).toContain("answered 410 (Gone) twice");
  });
});

describe("when failures disable it", () => {
  const FIELDS = { name: "orders", url: "https://example.com/hook", events: "*" };

  async function created() {
    const person = await signUp();
    const browser = await holding(person);
    const { location } = await browser.post("/webhooks", { ...FIELDS, secret: "s3cret" });
    const path = location?.replace("/console", "") ?? "";
    const change = async (fields: Record<string, string>) => {
      const { status, html } = await browser.post(path, { ...FIELDS, ...fields });
      const { body } = await call("GET", path, { token: person.token });
      return { status, html, autoDisable: body.data.delivery?.autoDisable };
    };
    return { browser, path, change };
  }

  test("is set in the form, shown again, kept by a form without the field, and set back to the default", async () => {
    const { browser, path, change } = await created();
    expect((await browser.get(`${path}/edit`)).html).toContain(
      '<option value="default" selected="">Disable it after 120 hours (default)',
    );
    expect((await change({ disabling: "own", autoDisable: "72" })).autoDisable).toEqual({ afterHours: 72 });
    expect((await change({})).autoDisable).toEqual({ afterHours: 72 });
    const { html } = await browser.get(`${path}/edit`);
    expect(html).toContain('<option value="own" selected');
    expect(html).toMatch(/<input[^>]*name="autoDisable"[^>]*value="72"/);
    expect((await change({ disabling: "never", autoDisable: "72" })).autoDisable).toBe(false);
    expect((await browser.get(`${path}/edit`)).html).toContain('<option value="never" selected');
    expect((await change({ disabling: "default", autoDisable: "72" })).autoDisable).toBeUndefined();
  });

  test.each([
    ["23", "Must be at least 24"],
    ["721", "Must be at most 720"],
    ["soon", "Is not valid"],
    ["", "Must be at least 24"],
  ])("%j hours are refused at their field, and the form keeps them", async (hours, message) => {
    const { change } = await created();
    const { status, html, autoDisable } = await change({ disabling: "own", autoDisable: hours });
    expect([status, autoDisable]).toEqual([400, undefined]);
    expect(html).toMatch(new RegExp(`id="autoDisable-error">${message}`));
    expect(html).toContain('<option value="own" selected');
    expect(html).toContain(`value="${hours}"`);
  });
});
