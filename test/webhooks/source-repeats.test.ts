/** Sources: which calls are one event. A genuine event is never taken for a repeat of another one. */
import { expect, test } from "vitest";
import { signUpVerified } from "../support/client";
import { create, deliver, eventsOf, HMAC, type SigningProvider } from "../support/sources";

const BODY = '{"id":7,"kind":"x"}';
const hmacWith = (more: object) => ({ verification: HMAC.verification, ...more });
const BY_HEADER = { header: "X-Event" };

type Headers = Record<string, string>;
type Case = [title: string, SigningProvider, options: object, calls: [Headers, body?: string][]];

const DIFFERENT: Case[] = [
  [
    "topics of one change",
    "shopify",
    {},
    ["create", "paid", "updated"].map((topic) => [
      { "x-shopify-topic": `orders/${topic}`, "x-shopify-event-id": topic },
    ]),
  ],
  [
    "topics with one event id",
    "shopify",
    {},
    ["create", "paid"].map((topic) => [{ "x-shopify-topic": `orders/${topic}`, "x-shopify-event-id": "e" }]),
  ],
  [
    "equal changes",
    "shopify",
    {},
    [[{ "x-shopify-event-id": "e1" }], [{ "x-shopify-event-id": "e2" }], [{ "x-shopify-webhook-id": "w1" }]],
  ],
  ["equal bodies", "github", {}, [[{ "x-github-delivery": "d1" }], [{ "x-github-delivery": "d2" }]]],
  ["other bodies", "github", {}, [[{ "x-github-delivery": "d1" }], [{ "x-github-delivery": "d1" }, "[]"]]],
  ["events without an id", "github", {}, [[{ "x-github-event": "a" }], [{ "x-github-event": "b" }]]],
  ["types", "hmac", hmacWith({ type: BY_HEADER }), [[{ "x-event": "job.done" }], [{ "x-event": "job.failed" }]]],
  [
    "ids in a header",
    "hmac",
    hmacWith({ type: { fixed: "a" }, dedupe: { header: "X-Id" } }),
    [[{ "x-id": "1" }], [{ "x-id": "2" }]],
  ],
  [
    "types of one id",
    "hmac",
    hmacWith({ type: BY_HEADER, dedupe: { path: "/id" } }),
    [[{ "x-event": "a" }], [{ "x-event": "b" }]],
  ],
];

test.each(DIFFERENT)("%s are different events for %s", async (_title, provider, options, calls) => {
  const person = await signUpVerified();
  const { id } = await create(person, provider, options);
  const send = ([headers, body = BODY]: (typeof calls)[number]) => deliver(id, provider, body, headers);
  for (const call of calls) expect((await send(call)).body).toEqual({ message: "Accepted" });
  for (const call of calls) expect((await send(call)).body).toEqual({ message: "Already received" });
  expect((await eventsOf(person)).length).toBe(calls.length);
});

const SAME: Case[] = [
  ["one event id", "shopify", {}, [[{ "x-shopify-event-id": "e", "x-shopify-webhook-id": "w" }]]],
  ["one delivery", "github", {}, [[{ "x-github-delivery": "d" }]]],
  [
    "one delivery under another event's name",
    "github",
    {},
    [[{ "x-github-delivery": "d" }], [{ "x-github-delivery": "d", "x-github-event": "push" }]],
  ],
  [
    "one id in a header, whatever the body",
    "hmac",
    hmacWith({ type: { fixed: "a" }, dedupe: { header: "X-Id" } }),
    [[{ "x-id": "1" }], [{ "x-id": "1" }, "[]"]],
  ],
  [
    "one id in the body, whatever stands beside it",
    "hmac",
    hmacWith({ type: { fixed: "a" }, dedupe: { path: "/id" } }),
    [[{}], [{}, '{"id":7}']],
  ],
  [
    "one id under the former name of the place",
    "hmac",
    hmacWith({ type: { fixed: "a" }, dedupe: { pointer: "/id" } }),
    [[{}], [{}, '{"id":7}']],
  ],
  ["one body without an id", "hmac", hmacWith({ type: { fixed: "a" }, dedupe: { header: "X-Id" } }), [[{}]]],
  ["one type and body", "hmac", hmacWith({ type: { fixed: "a" } }), [[{}]]],
];

test.each(SAME)("20 calls at once with %s are one event for %s", async (_title, provider, options, calls) => {
  const person = await signUpVerified();
  const { id } = await create(person, provider, options);
  const sent = Array.from({ length: 20 }, (_, n) => {
    const [headers, body = BODY] = calls[n % calls.length] ?? [{}];
    return deliver(id, provider, body, headers);
  });
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([...Array(19).fill(200), 202]);
  expect((await eventsOf(person)).length).toBe(1);
});

test("each of 20 equal calls at once is an event where no repeat is to be known", async () => {
  const person = await signUpVerified();
  const { id, dedupe } = await create(person, "hmac", hmacWith({ type: { fixed: "a" }, dedupe: false }));
  expect(dedupe).toBe(false);
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(id, "hmac", BODY)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
  expect((await eventsOf(person)).length).toBe(20);
});

test.each([
  ["Push Hook", "Push_Hook"],
  ["Order*Created", "Order_Created"],
  ["größer 😀", "gr__er__"],
])("the name %j becomes the type %s, and is allowed by that", async (name, type) => {
  const person = await signUpVerified();
  const { id } = await create(person, "hmac", hmacWith({ type: { pointer: "/event" }, allow: [type] }));
  expect((await deliver(id, "hmac", JSON.stringify({ event: name }))).body).toEqual({ message: "Accepted" });
  expect(await eventsOf(person)).toMatchObject([{ type }]);
});

test.each(["", "postern.x", "x".repeat(129)])("the name %j gets 400", async (event) => {
  const person = await signUpVerified();
  const { id } = await create(person, "hmac", hmacWith({ type: { pointer: "/event" } }));
  const { status, body } = await deliver(id, "hmac", JSON.stringify({ event }));
  expect([status, body.details]).toEqual([400, [expect.objectContaining({ path: "type" })]]);
});
