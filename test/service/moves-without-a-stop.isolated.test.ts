/** A move never stops a tenant: it publishes all the time, whatever is killed, and the move can be cancelled. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { continueMove } from "../../src/service/moves/continue";
import { latestMove, type Move } from "../../src/service/moves/store";
import { call, type Person, signUpVerified } from "../support/client";
import { beginMove, killUntil } from "../support/killed-moves";
import { countIn, depsOf, move, placeOf } from "../support/moves";
import { operate, operator } from "../support/operators";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

/** It makes a feed of several pages. */
vi.setConfig({ testTimeout: 120_000 });

const OTHER = 1 - SHARD;
const otherDb = OTHER === 0 ? env.DB : env.SHARD_1;
/** More than a move copies in two pages. */
const ENTRIES = 12_000;

const publishOnce = async (person: Person, n: number) =>
  (await call("POST", "/events", { token: person.token, body: { type: "T", payload: n, orderKey: "one" } })).status;

async function withFeed({ token, ...person }: Person, entries = ENTRIES): Promise<void> {
  await call("POST", "/feeds", { token, body: { name: "n", events: ["*"] } });
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
       INSERT INTO feed_entries (tenant_id, position, event_id, type) SELECT ?1, i, 'gone' || i, 'T' FROM n`,
    )
    .bind(person.tenantId, entries)
    .run();
}

/** The payloads and numbers of the events that were published, in the order of the feed after the move. */
async function listed({ tenantId }: Person) {
  const entries = await otherDb
    .prepare("SELECT event_id AS id FROM feed_entries WHERE tenant_id = ? AND position > ? ORDER BY position")
    .bind(tenantId, ENTRIES)
    .all<{ id: string }>();
  const query = "SELECT id, payload, order_sequence AS n FROM events WHERE tenant_id = ?";
  const found = await Promise.all(
    [deliveryDb, otherDb].map((db) =>
      db.prepare(query).bind(tenantId).all<{ id: string; payload: string; n: number }>(),
    ),
  );
  const events = new Map(found.flatMap(({ results }) => results).map((event) => [event.id, event]));
  return entries.results.map(({ id }) => [Number(events.get(id)?.payload), events.get(id)?.n]);
}

/** Says that a run is over after so many steps. */
function afterSteps(most: number): () => boolean {
  let steps = 0;
  return () => {
    steps += 1;
    return steps > most;
  };
}

const moveNow = async (person: Person) => {
  const { deps, ended } = await depsOf();
  const now = await latestMove(deps, person.tenantId);
  return { deps, ended, now: now as Move };
};

test("publishes of every moment of a move that is killed at each call are in the feed once, in order, and numbered on", async () => {
  const person = await signUpVerified();
  await withFeed(person);
  await beginMove(person, OTHER, 0);
  let published = 0;
  const refused: string[] = [];
  let attempts = 0;
  let isSubscribed = false;
  await killUntil(
    person,
    0,
    (at) => at.step === "keep",
    async (at) => {
      attempts += 1;
      // Subscriptions are copied behind the fence.
      if (!isSubscribed) await subscribe(person, newInbox("200").url, { events: ["Unheard"] });
      isSubscribed = true;
      const status = await publishOnce(person, published);
      if (status === 202) published += 1;
      else refused.push(`${at.step} ${status}`);
    },
  );
  // Only while the fence stands: never while much is copied. On a slow machine a fence lapses, and its last moments can
  // fall into the copying that follows.
  const fence = refused.indexOf("seal 503");
  expect(refused.filter((one) => !/^(copy|seal|flip) 503$/.test(one))).toEqual([]);
  expect(refused.slice(0, fence < 0 ? refused.length : fence)).toEqual([]);
  expect(attempts).toBeGreaterThan(refused.length);
  expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: SHARD });
  expect(await countIn(otherDb, "subscriptions", person)).toBe(1);
  expect(await publishOnce(person, published)).toBe(202);
  expect(await countIn(otherDb, "feed_entries", person)).toBe(ENTRIES + published + 1);
  expect(await listed(person)).toEqual(Array.from({ length: published + 1 }, (_, n) => [n, n + 1]));
});

test("the calls between the fence and the flip are as many for a large tenant as for a small one", async () => {
  const fenced = async (person: Person) => {
    await beginMove(person, OTHER, 0);
    for (;;) {
      const { deps, ended, now } = await moveNow(person);
      if (now.step === "seal") {
        const before = deps.trips.trips;
        await continueMove(deps, now);
        await ended();
        return deps.trips.trips - before;
      }
      await continueMove(deps, now, afterSteps(1));
      await ended();
    }
  };
  const [small, large] = [await signUpVerified(), await signUpVerified()];
  // Five seconds: the size at which a move once refused publishing for 66 s.
  await withFeed(large, 250_000);
  expect(await fenced(large)).toBeLessThanOrEqual((await fenced(small)) + 2);
});

test("a fence that nobody seals lapses by itself, and the move then begins anew", async () => {
  const person = await signUpVerified();
  await subscribe(person, newInbox("200").url);
  const fence = (lapsesAt: number) =>
    deliveryDb
      .prepare("INSERT OR REPLACE INTO departed_tenants (tenant_id, since, lapses_at) VALUES (?, 1, ?)")
      .bind(person.tenantId, lapsesAt)
      .run();
  await fence(Date.now() + 60_000);
  expect(await publishOnce(person, 1)).toBe(503);
  await fence(Date.now() - 1);
  expect(await publishOnce(person, 1)).toBe(202);
  await move(person);
  const { ended, now } = await moveNow(person);
  await ended();
  expect([now.step, now.lapses]).toEqual(["keep", 1]);
  expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: SHARD });
});

test("a move is cancelled until its fence: the tenant stays, nothing is left of the copy, and it can be moved again", async () => {
  const person = await signUpVerified();
  await withFeed(person);
  await beginMove(person, OTHER, 0);
  const first = await moveNow(person);
  await continueMove(first.deps, first.now, afterSteps(3));
  await first.ended();
  const { token } = await operator();
  const shown = async () => (await operate({ token }, "GET", `/tenants/${person.tenantId}`)).body.data.move;
  expect(await shown()).toMatchObject({ state: "moving", rowsLeft: ENTRIES - 5_000 });
  const path = `/tenants/${person.tenantId}/move/cancel`;
  expect((await operate({ token }, "POST", path, {})).status).toBe(200);
  for (let at = await moveNow(person); at.now.endedAt === null; at = await moveNow(person)) {
    await continueMove(at.deps, at.now);
    await at.ended();
  }
  expect(await shown()).toMatchObject({ state: "cancelled", rowsLeft: null });
  expect(await countIn(otherDb, "feed_entries", person)).toBe(0);
  expect(await placeOf(person)).toEqual({ shard: SHARD, former_shard: null });
  expect(await publishOnce(person, 1)).toBe(202);
  expect((await operate({ token }, "POST", path, {})).status).toBe(409);
  await move(person);
  const again = await operator();
  expect((await operate({ token: again.token }, "POST", path, {})).status).toBe(409);
});

test("an inbound call that meets a fence which lasts waits, has the move go on, and is published once", async () => {
  const person = await signUpVerified();
  const body = { name: "n", provider: "github", secrets: ["a secret"] };
  const { id } = (await call("POST", "/sources", { token: person.token, body })).body.data;
  await beginMove(person, OTHER, 0);
  // The run is killed when it has sealed the fence.
  await killUntil(person, 0, (at) => at.step === "flip");
  const raw = '{"n":1}';
  const headers = {
    "content-type": "application/json",
    "x-github-event": "push",
    "x-hub-signature-256": `sha256=${toHex(await hmac("SHA-256", utf8("a secret"), raw))}`,
  };
  // A publish is refused once, and has the move go on.
  const [called, status] = await Promise.all([call("POST", `/in/${id}`, { raw, headers }), publishOnce(person, 1)]);
  expect([called.status, status]).toEqual([202, 503]);
  expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: SHARD });
  expect(await countIn(otherDb, "events", person)).toBe(1);
});
