/** What an operator holds waits without cost, is not lost, and goes out after the release. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { call, eventually, logIn, type Person, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, messageFor, outboxRow, sweepNow } from "../support/engine";
import { attempt, episodeOf, pass, review } from "../support/failing";
import { attemptsOf, countHeld, HOLDS, release, row } from "../support/held";
import { operate, operator } from "../support/operators";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { codeOf } from "../support/two-factor";

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

const act = async (op: Person, path: string, body: object = {}) => {
  const answer = await operate(op, "POST", path, body);
  expect([path, answer.status]).toEqual([path, 200]);
};

async function subscriber(fields: Record<string, unknown> = {}, behaviour = "200") {
  const owner = await signUpVerified();
  const inbox = newInbox(behaviour);
  return { owner, inbox, id: await subscribe(owner, inbox.url, fields) };
}

const written = async (id: string) => {
  const { results } = await deliveryDb
    .prepare("SELECT queue, due_at, id, attempts, attempt_id FROM outbox WHERE subscription_id = ? ORDER BY id")
    .bind(id)
    .all<Record<string, unknown>>();
  return JSON.stringify(results);
};

describe("the held sends of a tenant", () => {
  test("wait, tests and retries too, use no attempt, and go out after the release", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber();
    const other = await subscriber();
    const retry = await addDelivery(owner, id);
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    await consumeBatch([messageFor(retry)]);
    await eventually("the retry waits", async () => (await outboxRow(retry))?.queue === id);
    const { id: eventId } = await publish(owner, 2);
    pass(10);
    await publish(owner, 3);
    expect((await call("POST", `/webhooks/${id}/test`, { token: owner.token })).status).toBe(200);
    await publish(other.owner, "other");
    await other.inbox.arrived(1);
    await eventually("all wait", async () => (await countHeld(id)) === 4);
    const detail = await call("GET", `/events/${eventId}`, { token: owner.token });
    expect(detail.body.data.subscriptions).toMatchObject([{ state: "waiting", reason: "held-by-operator" }]);
    const before = await written(id);
    for (let minute = 0; minute < 3; minute += 1) {
      pass(MINUTE_MS);
      await sweepNow();
      await release();
    }
    expect(await written(id)).toBe(before);
    expect(await inbox.received()).toEqual([]);
    expect(await attemptsOf(id)).toEqual([]);
    const { data } = (await operate(await signInAgain(op), "GET", `/tenants/${owner.tenantId}`)).body;
    expect(data).toMatchObject({ openDeliveries: { count: 4, isExact: true }, holds: [{ cause: "held" }] });
    await act(await signInAgain(op), `/tenants/${owner.tenantId}/sends/release`);
    await sweepNow();
    const received = await inbox.arrived(4);
    expect(
      received
        .map(({ body }) => body)
        .sort()
        .slice(0, 3),
    ).toEqual(["1", "2", "3"]);
    await eventually("the results", async () => (await attemptsOf(id)).every(({ status }) => status === "success"));
    await sweepNow();
    expect(await row(id)).toMatchObject({ has_backlog: 0 });
  });

  test("that are manual retries or tests are sent after the release although the subscription is paused", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber(HOLDS, "500");
    await attempt(owner, id, 1);
    await call("POST", `/webhooks/${id}/pause`, { token: owner.token });
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    for (const what of ["retry", "test"]) await call("POST", `/webhooks/${id}/${what}`, { token: owner.token });
    await eventually("both wait", async () => (await countHeld(id)) === 2);
    await publish(owner, "held");
    await act(op, `/tenants/${owner.tenantId}/sends/release`);
    await sweepNow();
    const received = await inbox.arrived(3);
    expect(received.map(({ body }) => body)).not.toContain('"held"');
    await sweepNow();
    expect(await inbox.received()).toHaveLength(3);
  });

  test("wait while the tenant is suspended, and after the suspension until an operator's own hold ends", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber();
    const delivery = await addDelivery(owner, id);
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    await act(op, `/tenants/${owner.tenantId}/suspend`, { reason: "a test" });
    await consumeBatch([messageFor(delivery)]);
    await act(op, `/tenants/${owner.tenantId}/resume`, { reason: "a test" });
    await eventually("it waits", async () => (await outboxRow(delivery))?.queue === id);
    await sweepNow();
    expect(await inbox.received()).toEqual([]);
    await act(op, `/tenants/${owner.tenantId}/sends/release`);
    await sweepNow();
    await inbox.arrived(1);
  });

  test("of a limited subscription wait too, those that have waited for a start and new ones", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber({ delivery: { maxConcurrent: 1 } });
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    for (const n of [1, 2, 3]) await publish(owner, n);
    await eventually("all wait", async () => (await countHeld(id)) === 3);
    expect(await inbox.received()).toEqual([]);
    await act(op, `/tenants/${owner.tenantId}/sends/release`);
    await sweepNow();
    await inbox.arrived(3);
  });

  test("an attempt that has begun ends, and its retry waits", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber({}, "500");
    const delivery = await addDelivery(owner, id);
    await consumeBatch([messageFor(delivery)]);
    await inbox.arrived(1);
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    await eventually("the result", async () => (await attemptsOf(id))[0]?.status === "failed");
    pass(MINUTE_MS);
    await sweepNow();
    await eventually("the retry waits", async () => (await countHeld(id)) === 1);
    expect(await inbox.received()).toHaveLength(1);
  });

  test("do not let a pause be released step by step, nor a subscription be disabled", async () => {
    const op = await operator();
    const { owner, id } = await subscriber({ ...HOLDS, delivery: { onPause: "hold" } }, "500");
    await attempt(owner, id, 20);
    await act(op, `/tenants/${owner.tenantId}/sends/hold`);
    pass(121 * 60 * MINUTE_MS);
    await review();
    expect(await row(id)).toMatchObject({ enabled: 1 });
    expect(await episodeOf(id)).not.toBeNull();
    await act(await signInAgain(op), `/tenants/${owner.tenantId}/sends/release`);
    await review();
    expect(await row(id)).toMatchObject({ enabled: 0 });
  });
});

/** A code works once, so the operator proves it by the clock that has moved on. */
async function signInAgain(op: Person & { secret: string }): Promise<Person> {
  pass(MINUTE_MS);
  return logIn(op, undefined, { totp: codeOf(op.secret) });
}

describe("the held sends of all tenants", () => {
  test("wait in every delivery database and go out afterwards, and it is recorded once", async () => {
    const op = await operator();
    const { owner, inbox, id } = await subscriber();
    await act(op, "/sends/hold");
    await act(op, "/sends/hold");
    const count = (db: D1Database) =>
      db.prepare("SELECT count(*) AS n FROM sends_held WHERE tenant_id = ''").first<number>("n");
    expect([await count(env.DB), await count(env.SHARD_1)]).toEqual([1, 1]);
    const status = (await operate(op, "GET", "/status")).body.data;
    expect(status.holds.filter(({ tenantId }: { tenantId: unknown }) => tenantId === null)).toMatchObject([
      { tenantId: null, cause: "held", shard: 0 },
      { tenantId: null, cause: "held", shard: 1 },
    ]);
    await publish(owner, 1);
    await eventually("it waits", async () => (await countHeld(id)) === 1);
    expect(await inbox.received()).toEqual([]);
    await act(op, "/sends/release");
    await sweepNow();
    await inbox.arrived(1);
    const { data } = (await call("GET", "/operator/audit?action=operator.*", { token: op.token })).body;
    const actions = data.map(({ action }: { action: string }) => action);
    for (const action of ["released", "held"]) expect(actions).toContain(`operator.sends_${action}`);
    expect(actions).toContain("operator.status_read");
  });
});
