/** The list of events, its search, and the payload of an event. */
import { expect, test } from "vitest";
import { call, eventually, signUp } from "../support/client";
import { holding } from "../support/console";
import { endedAttempts, newInbox, publish, subscribe } from "../support/receiver";

const textOf = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const rowsOf = (html: string) => [...html.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) => textOf(row).trim());

test("the list shows what became of each event", async () => {
  const person = await signUp();
  await subscribe(person, newInbox("200").url, { events: ["Good", "Mixed"] });
  await subscribe(person, newInbox("500").url, { events: ["Mixed"] });
  for (const type of ["Good", "Mixed", "Unwanted"]) await publish(person, 1, { type });
  const browser = await holding(person);
  const rows = await eventually("the outcomes", async () => {
    const found = rowsOf((await browser.get("/events")).html);
    return found[1]?.includes("1 waiting 1 delivered") && found[2]?.includes("Good 1 delivered") && found;
  });
  expect(rows).toHaveLength(3);
  expect(rows[0]).toContain("Unwanted nobody subscribed");
});

test("an event is found by its id, a delivery, a retry, a correlation id and its type, in its tenant only", async () => {
  const person = await signUp();
  const stranger = await holding(await signUp());
  const hook = await subscribe(person, newInbox("500").url, { events: ["*"], delivery: { retry: { schedule: [] } } });
  const event = await publish(person, 1, { type: "Wanted", correlationId: "checkout-7" });
  await publish(person, 1, { type: "Other" });
  await endedAttempts(person, hook, 2);
  const { token } = person;
  const log = (await call("GET", `/webhooks/${hook}/logs?eventType=Wanted`, { token })).body.data;
  await call("POST", `/webhooks/${hook}/deliveries/${log[0].deliveryId}/retry`, { token });
  const retry = await eventually("the retry", async () => {
    const { data } = (await call("GET", `/webhooks/${hook}/logs?eventType=Wanted`, { token })).body;
    return data.find(({ deliveryId }: { deliveryId: string }) => deliveryId !== log[0].deliveryId);
  });
  const browser = await holding(person);
  const searches = [event.id, log[0].deliveryId, retry.deliveryId, "checkout-7"].map((q) => `q=${q}`);
  for (const search of [...searches, "type=Wanted", `q=${event.id.toUpperCase()}&period=24`]) {
    const rows = rowsOf((await browser.get(`/events?${search}`)).html);
    expect([search, rows.length, rows[0]?.startsWith("Wanted")]).toEqual([search, 1, true]);
    expect((await stranger.get(`/events?${search}`)).html).toContain("No event matches");
  }
  expect((await browser.get("/events?period=0")).status).toBe(400);
});

test("a payload keeps all digits and its order of keys, on the page of the event, of the attempt and as a file", async () => {
  const person = await signUp();
  const hook = await subscribe(person, newInbox("200").url, { events: ["*"] });
  const browser = await holding(person);
  const payload = '{"b":12345678901234567890.10,"a":[{},"x\\"y: ,",[1]]}';
  const { location } = await browser.post("/events", { type: "Exact", payload, correlationId: "" });
  const event = location?.replace("/console", "") ?? "";
  const [attempt] = await endedAttempts(person, hook, 1);
  const at = `/webhooks/${hook}/attempts/${attempt._id}`;
  for (const path of [event, at]) {
    const { html } = await browser.get(path);
    const shown = html.match(/<pre id="payload-text">(.*?)<\/pre>/s)?.[1]?.replaceAll("&quot;", '"');
    expect(shown).toBe(
      '{\n  "b": 12345678901234567890.10,\n  "a": [\n    {},\n    "x\\"y: ,",\n    [\n      1\n    ]\n  ]\n}',
    );
    expect((await browser.get(`${path}/payload`)).html).toBe(payload);
  }
});
