/**
 * A document that is hard to keep goes through every way in and every way out, and keeps its bytes or its digits.
 * It takes seconds, because each way in has subscribers of its own.
 */
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type Person, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { createFeed, type Feed } from "../support/feeds";
import { HARD, HARD_AND_LONG, REWRAPPED } from "../support/hard-document";
import { connect, openListener } from "../support/listener";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { finished, replay } from "../support/replays";
import { create, deliver, hex } from "../support/sources";

/** The text of an answer, and of what an event is sent with. */
async function ask({ token }: Pick<Person, "token">, method: string, path: string, body?: string, more: object = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...more };
  const init = { method, headers, ...(body === undefined ? {} : { body }) };
  const answer = await exports.default.fetch(new Request(`http://postern.test/api/v1${path}`, init));
  return { status: answer.status, text: await answer.text() };
}

const EVENT = `{"type":"Hard","payload":${HARD}}`;
const FORMATS = ["payload", "standard", "cloudevents"] as const;

/** Publishes the document; each returns the status of the answer. */
const WAYS_IN: [string, (person: Person) => Promise<number>][] = [
  ["a request", async (person) => (await ask(person, "POST", "/events", EVENT)).status],
  ["a batch", async (person) => (await ask(person, "POST", "/events/batch", `{"events":[${EVENT}]}`)).status],
  [
    "a source",
    async (person) => {
      const { id } = await create(person, "hmac", { verification: { header: "X-Signature" }, type: { fixed: "Hard" } });
      return (await deliver(id, "hmac", HARD, { "x-signature": await hex(HARD) })).status;
    },
  ],
  [
    "a source that takes forms",
    async (person) => {
      const { id } = await create(person, "github", { typePrefix: "" });
      const form = `payload=${encodeURIComponent(HARD)}`;
      const more = { "x-github-event": "Hard", "content-type": "application/x-www-form-urlencoded" };
      return (await deliver(id, "github", form, more)).status;
    },
  ],
  [
    "the form of the console",
    async (person) => (await (await holding(person)).post("/events", { type: "Hard", payload: HARD })).status,
  ],
];

/** Subscribers in each format that has the payload, a feed from its start, and a listener. */
async function outlets() {
  const person = await signUpVerified();
  const inboxes = await Promise.all(
    FORMATS.map(async (format) => {
      const inbox = newInbox("200");
      return { inbox, id: await subscribe(person, inbox.url, { events: ["Hard"], delivery: { format } }) };
    }),
  );
  const feed = await createFeed(person, ["Hard"]);
  const { _id, ticket } = await openListener(person.token);
  return { person, inboxes, feed, listener: await connect(_id, ticket) };
}

const feedText = async (feed: Feed) => (await ask(feed, "GET", `/feeds/${feed.id}/events?from=oldest`)).text;

test.each(WAYS_IN)("by %s to each format, to the feed and to a listener with its bytes", async (_way, publish) => {
  const { person, inboxes, feed, listener } = await outlets();
  expect([202, 303]).toContain(await publish(person));
  const bodies = await Promise.all(inboxes.map(async ({ inbox }) => (await inbox.arrived(1))[0]?.body));
  expect(bodies[0]).toBe(HARD);
  for (const body of bodies.slice(1)) expect(body?.endsWith(`,"data":${HARD}}`)).toBe(true);
  expect(await feedText(feed)).toContain(`,"payload":${HARD}}]`);
  await expect.poll(() => listener.events.map(({ body }) => textOf(body))).toEqual([HARD]);
});

const textOf = (base64: string) => new TextDecoder().decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)));

test("a repeat is one if its bytes are the same, and not if one digit differs", async () => {
  const person = await signUpVerified();
  const key = { "idempotency-key": "once" };
  const publish = async (body: string) => ask(person, "POST", "/events", body, key);
  const [first, again, other] = [
    await publish(EVENT),
    await publish(EVENT),
    await publish(EVENT.replace("890,", "891,")),
  ];
  expect([first.status, again, other.status]).toEqual([202, first, 409]);
  const { data } = JSON.parse(first.text);
  expect((await ask(person, "GET", `/events/${data.id}`)).text).toContain(`"payload":${REWRAPPED}`);
});

test.each([HARD, HARD_AND_LONG])("answers show its digits; files and replays have its bytes", async (text) => {
  const { person, inboxes } = await outlets();
  const { text: published } = await ask(person, "POST", "/events", `{"type":"Hard","payload":${text}}`);
  const { id: event } = JSON.parse(published).data;
  const [{ inbox, id } = { inbox: newInbox("200"), id: "" }] = inboxes;
  const [attempt] = await endedAttempts(person, id, 1);
  const rewrapped = text.replace(HARD, REWRAPPED);
  for (const path of [`/events/${event}`, `/webhooks/${id}/logs`, `/webhooks/${id}/attempts/${attempt._id}`]) {
    expect((await ask(person, "GET", path)).text).toContain(`"payload":${rewrapped}`);
  }
  const browser = await holding(person);
  for (const path of [`/events/${event}`, `/webhooks/${id}/attempts/${attempt._id}`]) {
    expect((await browser.get(`${path}/payload`)).html).toBe(text);
  }
  await finished(person, id, (await replay(person, id, { which: "all" })).body.data.id);
  expect((await inbox.arrived(2)).map(({ body }) => body)).toEqual([text, text]);
});

test("an example of an event type keeps its digits wherever it is shown, and where it is published", async () => {
  const person = await signUpVerified();
  const type = `{"name":"Hard","schema":{},"examples":[${HARD}]}`;
  await ask(person, "POST", "/event-types/import", `{"eventTypes":[${type}]}`);
  const shown = (await ask(person, "GET", "/event-types/Hard")).text;
  for (const path of ["export?format=json", "export?format=openapi", "export?format=asyncapi", "Hard"]) {
    expect(numbersOf((await ask(person, "GET", `/event-types/${path}`)).text)).toEqual(
      expect.arrayContaining(["12345678901234567890", "1e400", "-1E-400", "9007199254740993", "1e999"]),
    );
  }
  const again = `{"eventTypes":[{"name":"Hard","schema":{},"examples":${shown.match(/"examples":(\[.*\])/s)?.[1]}}]}`;
  expect((await ask(person, "POST", "/event-types/import", again)).text).toContain('"unchanged":["Hard"]');
  const { html } = await (await holding(person)).get("/events/new?type=Hard&example=0");
  expect(html).toContain("12345678901234567890");
});

const numbersOf = (text: string) => text.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g);

test("another Worker publishes what JSON makes of its value, and nothing that JSON has no number for", async () => {
  const { person, inboxes } = await outlets();
  const publish = async (payload: string) => {
    const publication = `{"type":"Hard","payload":${payload}}`;
    const body = `{"tenantId":"${person.tenantId}","publication":${publication},"idempotencyKey":null}`;
    return (await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body })).json();
  };
  expect(await publish("[1e400]")).toEqual({ name: "AppError", message: "The request is not valid." });
  const held = HARD.replaceAll(/1e400|1e999/g, "0.1");
  expect(await publish(held)).toHaveProperty("published");
  expect((await inboxes[0]?.inbox.arrived(1))?.[0]?.body).toBe(JSON.stringify(JSON.parse(held)));
});
