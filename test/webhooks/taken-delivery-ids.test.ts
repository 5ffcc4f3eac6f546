/** The id of a delivery is made from 26 random bits of its event's id, so two events can give the same one. */
import { afterEach, expect, test, vi } from "vitest";
import { publishEvents } from "../../src/webhooks/events/publish";
import { type Person, signUpVerified } from "../support/client";
import { controlledDeps } from "../support/controlled";
import { consumeBatch, type Key, messageFor } from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Makes ids with the random bits that `bits` returns. */
function idsWith(bits: () => number): void {
  const real = crypto.getRandomValues.bind(crypto);
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    real(array);
    if (array instanceof Uint32Array && array.length === 1) array[0] = bits();
    return array;
  });
}

const rowsOf = async ({ tenantId }: Person, table: string) =>
  (await deliveryDb.prepare(`SELECT * FROM ${table} WHERE tenant_id = ?`).bind(tenantId).all()).results;

const keysOf = async ({ tenantId }: Person) =>
  (
    await deliveryDb
      .prepare(
        `SELECT queue, due_at AS dueAt, id, subscription_id AS subscriptionId, bytes FROM outbox WHERE tenant_id = ?`,
      )
      .bind(tenantId)
      .all<Key>()
  ).results;

test.each([
  ["at once", 0],
  ["3 ms later", 3],
])(
  "an event whose delivery id an open one has is accepted and delivered, like the other, which was stored %s",
  async (_, ms) => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    let accepts = 0;
    const { deps, ended } = await controlledDeps((name, call) => {
      if (name === "acceptEvents") accepts += 1;
      return call();
    });
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    // The time at which the limiter lets the deliveries of an event through, after its id was made.
    const consume = deps.limiter.consume.bind(deps.limiter);
    let answersMs = startMs + ms;
    vi.spyOn(deps.limiter, "consume").mockImplementation((rule, ...given) => {
      if (rule === "tenantDeliveries") vi.setSystemTime(answersMs);
      return consume(rule, ...given);
    });
    const publish = async (payload: string) => {
      vi.setSystemTime(startMs);
      const input = { type: "OrderPaid", payload, correlationId: null, idempotencyKey: null };
      return publishEvents(deps, { tenantId: person.tenantId, shard: SHARD, hasVerifiedOwner: true }, [input], 0);
    };
    let isOther = true;
    idsWith(() => (isOther || accepts === 0 ? 7 : 8));
    await publish("1");
    [isOther, accepts, answersMs] = [false, 0, startMs];
    const [events, outbox] = [await rowsOf(person, "events"), await rowsOf(person, "outbox")];
    expect(await publish("2")).toMatchObject([{ deliveries: 1 }]);
    expect(accepts).toBe(2);
    await ended();
    expect(await rowsOf(person, "events")).toEqual(expect.arrayContaining(events));
    expect(await rowsOf(person, "outbox")).toEqual(expect.arrayContaining(outbox));
    const keys = await keysOf(person);
    expect(new Set(keys.map(({ id }) => id)).size).toBe(2);
    vi.setSystemTime(startMs + 10);
    await consumeBatch([messageFor(...keys)]);
    vi.useRealTimers();
    expect((await inbox.arrived(2)).map(({ body }) => body).sort()).toEqual(["1", "2"]);
    await endedAttempts(person, webhookId, 2);
    expect(await rowsOf(person, "outbox")).toEqual([]);
  },
);
