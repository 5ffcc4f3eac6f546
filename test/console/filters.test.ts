/** The page on which a filter is tried and saved, and the reasons on the page of an event. */
import { expect, test } from "vitest";
import { call, setRole, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { newInbox, publish, subscribe } from "../support/receiver";

const LARGE = '{"payload.total":{"$gt":100}}';

test("a filter is tried, saved, and told on the page of an event that it did not let through", async () => {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  const browser = await holding(person);
  const values = { filter: LARGE, type: "OrderPaid", payload: '{"total": 5}' };
  const tried = await browser.post(`/webhooks/${id}/filter/test`, values);
  expect([tried.status, tried.html]).toEqual([200, expect.stringContaining("does not let this event through")]);
  expect(tried.html).toContain("payload.total $gt 100");
  expect(tried.html).toContain("found number");
  const other = await browser.post(`/webhooks/${id}/filter/test`, {
    ...values,
    type: "Other",
    payload: '{"total":500}',
  });
  expect(other.html).toContain("lets this event through");
  expect(other.html).toContain("does not list its type");
  expect((await call("GET", `/webhooks/${id}`, person)).body.data.delivery).toBeUndefined();
  const saved = await browser.post(`/webhooks/${id}/filter`, values);
  expect([saved.status, saved.location]).toEqual([303, `/console/webhooks/${id}`]);
  expect((await browser.get(`/webhooks/${id}`)).html).toContain("payload.total");
  expect((await browser.get(`/webhooks/${id}/filter`)).html).toContain("payload.total");
  const event = await publish(person, { total: 5 });
  const { html } = await browser.get(`/events/${event.id}`);
  expect(html).toContain("Its filter did not let the event through.");
  expect(html).toContain("payload.total $gt 100");
  await browser.post(`/webhooks/${id}/filter`, { ...values, filter: " " });
  expect((await call("GET", `/webhooks/${id}`, person)).body.data.delivery).toBeUndefined();
  expect((await browser.get(`/events/${event.id}`)).html).toContain("The filter has changed since");
});

test("what is no filter is marked, and readers only try", async () => {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url);
  const browser = await holding(person);
  for (const filter of ["{", "5", '{"total":1}']) {
    for (const path of ["filter", "filter/test"]) {
      const { status, html } = await browser.post(`/webhooks/${id}/${path}`, { filter, type: "a", payload: "1" });
      expect([path, filter, status]).toEqual([path, filter, 400]);
      expect(html).toMatch(/id="filter-error"|aria-invalid/);
    }
  }
  await setRole(person, "viewer");
  const { html } = await browser.get(`/webhooks/${id}/filter`);
  expect([html.includes("Save filter"), html.includes(">Try<")]).toEqual([false, true]);
  expect((await browser.post(`/webhooks/${id}/filter`, { filter: LARGE })).status).toBe(403);
});
