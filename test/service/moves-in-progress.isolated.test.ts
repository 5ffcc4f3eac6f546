/** What a tenant's deliveries do while it is moved, and the move is killed at each of its calls. */
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { sweepLanes } from "../../src/webhooks/delivery/lanes/feed";
import { continueReplays } from "../../src/webhooks/resend/replays/continue";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { addDelivery, consumeBatch, makeDue, messageFor } from "../support/engine";
import { HOLDS } from "../support/held";
import { beginMove, killUntil } from "../support/killed-moves";
import { depsOf, get, placeOf } from "../support/moves";
import { newInbox, publish, subscribe } from "../support/receiver";
import { startReplay } from "../support/replays";
import { SHARD } from "../support/shard";

vi.setConfig({ testTimeout: 120_000 });

const OTHER = 1 - SHARD;
const HOUR_MS = 3_600_000;

const bodiesOf = async (inbox: ReturnType<typeof newInbox>) => (await inbox.received()).map(({ body }) => body).sort();

/** Continues the replays, and sends what lanes hold, in both databases. */
async function goOn(): Promise<void> {
  const { deps, ended } = await depsOf();
  for (const shard of [0, 1]) {
    await continueReplays(deps, shard);
    await sweepLanes(deps, shard);
  }
  await ended();
}

const attemptsOf = async (person: Person, id: string) =>
  (await get(person, `/webhooks/${id}/logs`)).data.map(({ payload, status }: { payload: unknown; status: string }) => [
    payload,
    status,
  ]);

test("a move that is killed at any of its calls loses no delivery that waits, is held or is replayed, and sends none twice", async () => {
  const person = await signUpVerified();
  const { token } = person;
  const inboxes = { waits: newInbox("200"), holds: newInbox("200"), replays: newInbox("200") };
  const waiting = await subscribe(person, inboxes.waits.url, { events: ["Waits"] });
  const holding = await subscribe(person, inboxes.holds.url, { events: ["Held"], ...HOLDS });
  const replaying = await subscribe(person, inboxes.replays.url, { events: ["Replayed"] });
  for (const payload of ["1", "2", "3"]) {
    await publish(person, payload, { type: "Replayed" });
    await eventually("its attempt", async () => (await attemptsOf(person, replaying)).length >= Number(payload));
  }
  const key = await addDelivery(person, waiting, { dueAt: Date.now() + HOUR_MS });
  await call("POST", `/webhooks/${holding}/pause`, { token });
  await publish(person, "held before", { type: "Held" });
  const replayId = await startReplay(person, replaying, { which: "all" });
  const replayOf = async () => (await get(person, `/webhooks/${replaying}/replays/${replayId}`)).data;
  expect(await replayOf()).toMatchObject({ status: "running" });

  await beginMove(person, OTHER, 0);
  expect(await killUntil(person, 0, ({ step }) => step === "keep")).toBeGreaterThan(5);
  expect(await placeOf(person)).toEqual({ shard: OTHER, former_shard: SHARD });
  await publish(person, "held after", { type: "Held" });
  expect((await call("POST", `/webhooks/${holding}/resume`, { token })).status).toBe(200);
  await consumeBatch([messageFor(await makeDue(key))]);
  await eventually("the end of the replay", async () => {
    await goOn();
    return (await replayOf()).status === "finished";
  });
  await Promise.all([inboxes.waits.arrived(1), inboxes.holds.arrived(2), inboxes.replays.arrived(6)]);
  await eventually("an empty outbox", async () => {
    await goOn();
    const open = "SELECT EXISTS (SELECT 1 FROM outbox WHERE tenant_id = ?) AS n";
    const counts = [env.DB, env.SHARD_1].map((db) => db.prepare(open).bind(person.tenantId).first("n"));
    return (await Promise.all(counts)).every((n) => n === 0);
  });

  expect(await bodiesOf(inboxes.waits)).toEqual(["1"]);
  expect(await bodiesOf(inboxes.holds)).toEqual(['"held after"', '"held before"']);
  expect(await bodiesOf(inboxes.replays)).toEqual(['"1"', '"1"', '"2"', '"2"', '"3"', '"3"']);
  expect(await attemptsOf(person, waiting)).toEqual([[1, "success"]]);
  expect((await attemptsOf(person, holding)).sort()).toEqual([
    ["held after", "success"],
    ["held before", "success"],
  ]);
  const replayed = (await attemptsOf(person, replaying)).map(([payload]: [string]) => payload);
  expect(replayed.sort()).toEqual(["1", "1", "2", "2", "3", "3"]);
});
