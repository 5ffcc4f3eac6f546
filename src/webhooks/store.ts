/** Subscriptions and their log in D1. */
import { and, desc, eq, sql } from "drizzle-orm";
import { jsonList } from "../db/client";
import { attempts, events, subscriptionEvents, subscriptions } from "../db/schema";
import type { Deps } from "../deps";

const MAX_LOG_ROWS = 50;

export type SubscriptionRow = typeof subscriptions.$inferSelect;

const live = (tenantId: string, id: string) =>
  and(eq(subscriptions.id, id), eq(subscriptions.tenantId, tenantId), eq(subscriptions.isDeleted, false));

type NewSubscription = Pick<SubscriptionRow, "id" | "name" | "url" | "events" | "secretSealed" | "enabled">;

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

const insertEventTypes = (db: Deps["db"], tenantId: string, subscriptionId: string, types: string[]) =>
  db
    .insert(subscriptionEvents)
    .select(sql`SELECT ${tenantId}, value, ${subscriptionId} FROM json_each(${jsonList(types)})`);

export async function listSubscriptions({ db }: Deps, tenantId: string): Promise<SubscriptionRow[]> {
  return db
    .select()
    .from(subscriptions)
    .where(and(eq(subscriptions.tenantId, tenantId), eq(subscriptions.isDeleted, false)))
    .orderBy(desc(subscriptions.createdAt), desc(subscriptions.id));
}

export async function findSubscription(
  { db }: Deps,
  tenantId: string,
  id: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await db.select().from(subscriptions).where(live(tenantId, id));
  return row;
}

/** The newest attempts of a subscription; undefined when the tenant has no such subscription. */
export async function listAttempts({ db }: Deps, tenantId: string, subscriptionId: string) {
  const [found, rows] = await db.batch([
    db.select({ id: subscriptions.id }).from(subscriptions).where(live(tenantId, subscriptionId)),
    db
      .select({
        id: attempts.id,
        webhookId: attempts.subscriptionId,
        deliveryId: attempts.deliveryId,
        eventType: attempts.eventType,
        payload: events.payload,
        status: attempts.status,
        responseCode: attempts.responseCode,
        responseBody: attempts.responseBody,
        error: attempts.error,
        attemptCount: attempts.attemptCount,
        attemptedAt: attempts.attemptedAt,
        completedAt: attempts.completedAt,
      })
      .from(attempts)
      // An alias of its own for each column: a batched join confuses columns of one name.
      .innerJoin(events, eq(events.id, attempts.eventId))
      .where(and(eq(attempts.subscriptionId, subscriptionId), eq(attempts.tenantId, tenantId)))
      .orderBy(desc(attempts.id))
      .limit(MAX_LOG_ROWS),
  ]);
  return found.length === 0 ? undefined : rows;
}

export type AttemptRow = NonNullable<Awaited<ReturnType<typeof listAttempts>>>[number];
