/** Subscriptions in D1. */
import { and, desc, eq, ne, or, sql } from "drizzle-orm";
import { jsonList } from "../db/client";
import { subscriptionEvents, subscriptions } from "../db/schema";
import type { Deps } from "../deps";

export type SubscriptionRow = typeof subscriptions.$inferSelect;

const live = (tenantId: string, id: string) =>
  and(eq(subscriptions.id, id), eq(subscriptions.tenantId, tenantId), eq(subscriptions.isDeleted, false));

type NewSubscription = Pick<
  SubscriptionRow,
  "id" | "name" | "url" | "events" | "secretSealed" | "secretDigest" | "enabled"
>;

/** Writes the subscription and its fan-out entries. */
export async function insertSubscription(
  { db }: Deps,
  tenantId: string,
  subscription: NewSubscription,
  nowMs: number,
): Promise<SubscriptionRow> {
  const [rows] = await db.batch([
    db
      .insert(subscriptions)
      .values({ ...subscription, tenantId, createdAt: nowMs, updatedAt: nowMs })
      .returning(),
    insertEventTypes(db, tenantId, subscription.id, subscription.events),
  ]);
  const [row] = rows;
  if (!row) throw new Error("insert returned no row");
  return row;
}

/** Only for a live subscription: an update may name one that is missing, or of another tenant. */
const insertEventTypes = (db: Deps["db"], tenantId: string, subscriptionId: string, types: string[]) =>
  db.insert(subscriptionEvents).select(
    sql`SELECT ${tenantId}, value, ${subscriptionId} FROM json_each(${jsonList(types)})
        WHERE EXISTS (SELECT 1 FROM subscriptions WHERE id = ${subscriptionId} AND tenant_id = ${tenantId} AND is_deleted = 0)`,
  );

const deleteEventTypes = (db: Deps["db"], tenantId: string, subscriptionId: string) =>
  db
    .delete(subscriptionEvents)
    .where(and(eq(subscriptionEvents.tenantId, tenantId), eq(subscriptionEvents.subscriptionId, subscriptionId)));

/** What a change sets; a field that is left out keeps its value. */
export type SubscriptionChange = Partial<
  Pick<SubscriptionRow, "name" | "url" | "events" | "secretSealed" | "secretDigest" | "enabled">
>;

/** Changes what differs; the version goes up only when something does. Undefined when the tenant has no such subscription. */
export async function updateSubscription(
  { db }: Deps,
  tenantId: string,
  id: string,
  change: SubscriptionChange,
  nowMs: number,
): Promise<SubscriptionRow | undefined> {
  const { name, url, events: types, secretDigest, enabled } = change;
  const differs = or(
    name === undefined ? undefined : ne(subscriptions.name, name),
    url === undefined ? undefined : ne(subscriptions.url, url),
    types === undefined ? undefined : ne(subscriptions.events, types),
    secretDigest === undefined ? undefined : ne(subscriptions.secretDigest, secretDigest),
    enabled === undefined ? undefined : ne(subscriptions.enabled, enabled),
  );
  // An empty `or` is no condition: it would let every update through.
  if (!differs) return findSubscription({ db }, tenantId, id);
  const update = db
    .update(subscriptions)
    .set({ ...change, version: sql`version + 1`, updatedAt: nowMs })
    .where(and(live(tenantId, id), differs));
  const read = db.select().from(subscriptions).where(live(tenantId, id));
  if (!types) return (await db.batch([update, read]))[1][0];
  const [, , , rows] = await db.batch([
    update,
    deleteEventTypes(db, tenantId, id),
    insertEventTypes(db, tenantId, id, types),
    read,
  ]);
  return rows[0];
}

/** Soft delete; no event goes to it any more. False when the tenant has no such subscription. */
export async function deleteSubscription({ db }: Deps, tenantId: string, id: string, nowMs: number): Promise<boolean> {
  const [deleted] = await db.batch([
    db
      .update(subscriptions)
      .set({ isDeleted: true, version: sql`version + 1`, updatedAt: nowMs })
      .where(live(tenantId, id))
      .returning({ id: subscriptions.id }),
    deleteEventTypes(db, tenantId, id),
  ]);
  return deleted.length > 0;
}

export async function listSubscriptions({ db }: Deps, tenantId: string): Promise<SubscriptionRow[]> {
  return db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.isDeleted, false)))
    .orderBy(desc(subscriptions.createdAt), desc(subscriptions.id));
}

export async function findSubscription(
  { db }: Pick<Deps, "db">,
  tenantId: string,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await db.select().from(subscriptions).where(live(tenantId, id));
  return row;
}
