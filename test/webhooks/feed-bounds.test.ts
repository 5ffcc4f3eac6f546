/** How much one read of a feed looks at. */
import { expect, test } from "vitest";
import { call, signUpVerified } from "../support/client";
import { publish } from "../support/receiver";
import { deliveryDb } from "../support/shard";

test("a page examines 10,000 entries, and says that there is more where none of them is listed", async () => {
  const person = await signUpVerified();
  const body = { name: "n", events: ["Rare"] };
  const { id, token } = (await call("POST", "/feeds", { token: person.token, body })).body.data;
  const poll = async (query: string) => (await call("GET", `/feeds/${id}/events${query}`, { token })).body;
  const { cursor } = await poll("");
  const begin = (Date.now() + 1_000) * 1_000;
  await deliveryDb
    .prepare(
      `INSERT INTO feed_entries (tenant_id, position, event_id, type)
       SELECT ?1, ?2 + key, 'e' || key, 'Common' FROM json_each(?3)`,
    )
    .bind(person.tenantId, begin, `[${Array.from({ length: 10_001 }, () => 0).join(",")}]`)
    .run();
  await publish(person, "rare", { type: "Rare" });
  const first = await poll(`?cursor=${cursor}&wait=5`);
  expect(first).toMatchObject({ data: [], hasMore: true, nextPollMs: 0, truncated: false });
  const second = await poll(`?cursor=${first.cursor}`);
  expect([second.data.map(({ payload }: { payload: unknown }) => payload), second.hasMore]).toEqual([["rare"], false]);
});
