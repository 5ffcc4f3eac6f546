/** The feeds, sources and listeners of a tenant that is moved to another delivery database. */
import { expect, test } from "vitest";
import { toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { connect, newTicket, openListener, payloadOf } from "../support/listener";
import { move, placeOf } from "../support/moves";
import { publish } from "../support/receiver";
import { SHARD } from "../support/shard";

const made = async ({ token }: Person, path: string, body: object) =>
  (await call("POST", path, { token, body })).body.data as { id: string; token: string };

test("a feed goes on after a move: cursors and consumers keep their places, and nothing is passed over or repeated", async () => {
  const person = await signUpVerified();
  const { id, token } = await made(person, "/feeds", { name: "n", events: ["*"] });
  const read = async (query: string) => (await call("GET", `/feeds/${id}/events?${query}`, { token })).body;
  const payloads = (page: { data: { payload: unknown }[] }) => page.data.map(({ payload }) => payload);
  await read("consumer=billing");
  for (const payload of [1, 2, 3]) await publish(person, payload);
  const first = await read("consumer=billing&limit=1");
  await call("POST", `/feeds/${id}/consumers/billing/ack`, { token, body: { cursor: first.cursor } });
  const before = await read("from=oldest&limit=2");
  await move(person);
  expect(await placeOf(person)).toEqual({ shard: 1 - SHARD, former_shard: SHARD });
  for (const payload of [4, 5]) await publish(person, payload);
  const after = await read(`cursor=${before.cursor}`);
  expect([payloads(before), payloads(after), after.truncated]).toEqual([[1, 2], [3, 4, 5], false]);
  expect(payloads(await read("consumer=billing"))).toEqual([2, 3, 4, 5]);
  expect(payloads(await read("from=oldest"))).toEqual([1, 2, 3, 4, 5]);
  const { data } = (await call("GET", `/feeds/${id}/consumers`, { token: person.token })).body;
  expect(data).toMatchObject([{ name: "billing", waiting: 4 }]);
});

test("a call that a source received before a move is a duplicate after it", async () => {
  const person = await signUpVerified();
  const source = await made(person, "/sources", { name: "n", provider: "github", secrets: ["a secret"] });
  const send = async (raw: string) => {
    const headers = {
      "content-type": "application/json",
      "x-github-event": "push",
      "x-hub-signature-256": `sha256=${toHex(await hmac("SHA-256", utf8("a secret"), raw))}`,
    };
    const { status, body } = await call("POST", `/in/${source.id}`, { raw, headers });
    return [status, body.message];
  };
  expect(await send('{"n":1}')).toEqual([202, "Accepted"]);
  await move(person);
  expect(await send('{"n":1}')).toEqual([200, "Already received"]);
  expect(await send('{"n":2}')).toEqual([202, "Accepted"]);
  const { data } = (await call("GET", "/events", { token: person.token })).body;
  expect(data).toHaveLength(2);
});

test("a listener holds and is connected in the database where its tenant is, and sends what came before the move", async () => {
  const person = await signUpVerified();
  const { _id, ticket } = await openListener(person.token);
  await publish(person, "before");
  await move(person);
  await publish(person, "after");
  const { events, closed, socket } = await connect(_id, ticket);
  await eventually("both events", async () => events.length >= 2, 60_000);
  expect(events.map(payloadOf).toSorted()).toEqual(["after", "before"]);
  socket.close();
  await Promise.race([closed, scheduler.wait(500)]);
  await publish(person, "held");
  const again = await connect(_id, await newTicket(person.token, _id));
  await eventually("the held event", async () => again.events.length > 0, 60_000);
  expect(again.events.map(payloadOf)).toEqual(["held"]);
});
