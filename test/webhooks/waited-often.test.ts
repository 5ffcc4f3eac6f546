/** A delivery that a limit has put off hundreds of times leaves a placeholder for each of its waits. */
import { expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { call } from "../support/client";
import { consumeBatch, countManualRetries, eventOf, giveUp, messageFor, newDelivery } from "../support/engine";
import { deliveryDb } from "../support/shard";

const WAITS = 900;

/** A failed delivery that has waited `WAITS` times before its only attempt. */
async function failedAfterWaits() {
  const { person, webhookId, key } = await newDelivery("500");
  const eventId = await eventOf(key);
  await consumeBatch([messageFor(key)]);
  await giveUp(webhookId);
  const ids = [key.id, ...Array.from({ length: WAITS }, () => newIdAt(Date.now()))];
  const trail = ids.slice(0, WAITS).map((id, position) => ({ id, next: ids[position + 1] }));
  await deliveryDb.batch([
    deliveryDb
      .prepare("UPDATE attempts SET id = ?, delivery_id = ? WHERE subscription_id = ? AND id = ?")
      .bind(ids.at(-1), key.id, webhookId, key.id),
    deliveryDb
      .prepare(
        `INSERT INTO attempts (subscription_id, id, delivery_id, event_id, event_type, kind, status, attempt_count,
          attempted_at, next_id)
         SELECT ?2, value ->> 'id', nullif(?3, value ->> 'id'), ?4, '', 'event', 'moved', 1, 1, value ->> 'next'
         FROM json_each(?1)`,
      )
      .bind(JSON.stringify(trail), webhookId, key.id, eventId),
  ]);
  return { person, webhookId, key, eventId };
}

test("its last attempt is found in the event and in the list of events, and it can be retried by its id", async () => {
  const { person, webhookId, key, eventId } = await failedAfterWaits();
  const { token } = person;
  const event = (await call("GET", `/events/${eventId}`, { token })).body.data;
  expect(event.subscriptions).toMatchObject([{ webhookId, state: "failed", attempt: { error: "status 500" } }]);
  const list = (await call("GET", "/events?limit=1", { token })).body.data;
  expect(list).toMatchObject([{ id: eventId }]);
  expect((await call("POST", `/webhooks/${webhookId}/deliveries/${key.id}/retry`, { token })).status).toBe(200);
  expect(await countManualRetries(webhookId)).toBe(1);
});
