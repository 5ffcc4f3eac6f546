/** `GET /events`: which events there were. */
import { describe, expect, test } from "vitest";
import { firstIdAt } from "../../src/base/db/ids";
import { call, signUp } from "../support/client";
import { publish } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { storeEvent } from "../support/stored-event";

const DAY_MS = 86_400_000;
describe("the list of events", () => {
  test("has them newest first, by type, since a time, page by page, without those of others", async () => {
    const person = await signUp();
    const stranger = await signUp();
    const ids: string[] = [];
    for (const type of ["A", "B", "A"]) ids.unshift((await publish(person, 1, { type })).id);
    await publish(stranger, 1, { type: "A" });
    const list = async (query: string) => (await call("GET", `/events${query}`, { token: person.token })).body;
    const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
    expect(idsOf(await list(""))).toEqual(ids);
    expect(idsOf(await list("?type=A"))).toEqual([ids[0], ids[2]]);
    const first = await list("?limit=2");
    expect([idsOf(first), first.nextCursor]).toEqual([ids.slice(0, 2), ids[1]]);
    expect(await list(`?limit=2&cursor=${first.nextCursor}`)).toMatchObject({
      data: [{ id: ids[2] }],
      nextCursor: null,
    });
    const { createdAt } = (await list("?limit=1")).data[0];
    expect(idsOf(await list(`?since=${createdAt}`))).toContain(ids[0]);
    expect(idsOf(await list(`?since=${new Date(Date.now() + 60_000).toISOString()}`))).toEqual([]);
    expect((await call("GET", "/events?since=yesterday", { token: person.token })).status).toBe(400);
  });

  test("ends at the retention, as the view of an event does", async () => {
    const person = await signUp();
    const { eventId } = await storeEvent(person, [], { at: Date.now() - 31 * DAY_MS });
    expect((await call("GET", "/events", { token: person.token })).body.data).toEqual([]);
    expect((await call("GET", `/events/${eventId}`, { token: person.token })).status).toBe(404);
  });

  test("reads a bounded part of a busy database, and its cursor leads on", async () => {
    const person = await signUp();
    const at = Date.now() - 3_600_000;
    const { eventId } = await storeEvent(person, [], { at: at - 1000 });
    await deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10099)
         INSERT INTO events (id, tenant_id, type, payload, delivery_count, created_at)
         SELECT ? || '-7' || printf('%03x', i % 4096) || '-8000-' || printf('%012x', i), 'another', 'T', '1', 0, ?
           FROM n`,
      )
      .bind(firstIdAt(at), at)
      .run();
    const page = (await call("GET", "/events", { token: person.token })).body;
    expect(page.data).toEqual([]);
    const next = (await call("GET", `/events?cursor=${page.nextCursor}`, { token: person.token })).body;
    expect(next).toMatchObject({ data: [{ id: eventId }], nextCursor: null });
  });
});
