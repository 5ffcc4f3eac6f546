/** Deliveries of tenants without a verified owner, which all together are limited by the host that they go to. */
import { expect, test } from "vitest";
import { signUp, signUpVerified, verify } from "../support/client";
import { addDelivery, consumeBatch, type Key, messageFor, outboxRow } from "../support/engine";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const LIMIT = 3;
const limited = { RATE_LIMITS: JSON.stringify({ unverifiedHost: { limit: LIMIT, windowSeconds: 60 } }) };
const newHost = () => `h${crypto.randomUUID()}.example`;

/** A subscriber at `host` with deliveries that are due. */
async function deliveriesTo(host: string, count: number, isVerified = false) {
  const person = await (isVerified ? signUpVerified() : signUp());
  const inbox = newInbox("200");
  const webhookId = await subscribe(person, inbox.url.replace("receiver.example", host));
  const keys: Key[] = [];
  for (let each = 0; each < count; each += 1) keys.push(await addDelivery(person, webhookId));
  return { person, inbox, webhookId, keys };
}

const consume = (keys: Key[]) => consumeBatch([messageFor(...keys)], "postern-deliveries", limited);

test("are sent to one host at most so often in a minute, whichever tenants they belong to, and use up no attempt", async () => {
  const host = newHost();
  const [one, other] = [await deliveriesTo(host, 4), await deliveriesTo(host, 4)];
  await consume([...one.keys, ...other.keys]);
  expect((await one.inbox.received()).length + (await other.inbox.received()).length).toBe(LIMIT);
  const waiting = (await Promise.all([...one.keys, ...other.keys].map(outboxRow))).filter((row) => row !== null);
  expect(waiting.map(({ attempts, due_at }) => [attempts, due_at > Date.now()])).toEqual(
    Array.from({ length: 8 - LIMIT }, () => [0, true]),
  );
  const elsewhere = await deliveriesTo(newHost(), 1);
  await consume(elsewhere.keys);
  expect(await elsewhere.inbox.received()).toHaveLength(1);
});

test("are not limited once an owner is verified, and the subscription says so", async () => {
  const { person, inbox, webhookId, keys } = await deliveriesTo(newHost(), 5);
  await verify(person.email);
  await consume(keys);
  expect(await inbox.received()).toHaveLength(5);
  const onTrial = deliveryDb.prepare("SELECT on_trial FROM subscriptions WHERE id = ?").bind(webhookId);
  expect(await onTrial.first("on_trial")).toBe(0);
});

test("of tenants with a verified owner are not limited", async () => {
  const { inbox, keys } = await deliveriesTo(newHost(), 5, true);
  await consume(keys);
  expect(await inbox.received()).toHaveLength(5);
});
