/**
 * Finding tenants, people, subscriptions, events and deliveries in one database, by key or by the beginning of an
 * indexed text.
 */

import { type SQL, sql } from "drizzle-orm";
import { atomically, type Db, jsonList, query, rows } from "../../base/db/client";
import { deliveryIdOf, timeOfId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { audit } from "../../tenancy/audit/record-store";
import { MAIN } from "../../webhooks/plane/outbox-store";
import { ofService } from "../acting/audit-store";

/** The most findings of a kind, in each database. */
export const MAX_FINDINGS = 20;
/**
 * The most subscriptions of a database whose logs are searched for the id of a replay, a manual retry or an attempt.
 */
const EXAMINED_SUBSCRIPTIONS = 50_000;
/** Appended to a text, sorts after every text that begins with it. */
const LAST = "\u{10ffff}";

const beginsWith = (text: SQL, start: string) => sql`${text} >= ${start} AND ${text} < ${start + LAST}`;
/** SQLite's `lower` leaves letters outside ASCII alone, so it must lower both sides. */
const nameBeginsWith = (start: string) =>
  sql`lower(name) >= lower(${start}) AND lower(name) < lower(${start}) || ${LAST}`;

export interface FoundTenant {
  id: string;
  /** What the product calls it. */
  externalId: string | null;
  name: string;
  isSuspended: 0 | 1;
}
export interface FoundPerson extends Omit<FoundTenant, "name"> {
  email: string;
  name: string | null;
}

/**
 * Searches the control plane, across tenants, and records the search in the log of the service, without its words.
 * `text` is `name` in lower case. The product's own ids are found whole, with or without `ext:` before them.
 */
export async function searchControl(
  { db }: Deps,
  operator: SessionPrincipal,
  { text, name, kind }: { text: string; name: string; kind: "id" | "text" },
): Promise<{ tenants: FoundTenant[]; people: FoundPerson[] }> {
  const isOwnId = sql`external_id = ${name.replace(/^ext:/, "")}`;
  const { tenants, people } = await atomically(db, {
    tenants: rows<FoundTenant>(sql`SELECT id, external_id AS externalId, name, suspended_at IS NOT NULL AS isSuspended
      FROM tenants WHERE id = ${text} OR ${isOwnId} OR ${nameBeginsWith(name)} LIMIT ${MAX_FINDINGS}`),
    people: rows<FoundPerson>(sql`SELECT id, external_id AS externalId, email, name,
        suspended_at IS NOT NULL AS isSuspended
      FROM users WHERE id = ${text} OR ${isOwnId} OR ${beginsWith(sql`email`, text)} LIMIT ${MAX_FINDINGS}`),
    recorded: audit(ofService(operator, "operator.searched", { kind })),
  });
  return { tenants, people };
}

interface OfTenant {
  id: string;
  tenantId: string;
}
export interface FoundSubscription extends OfTenant {
  name: string;
  url: string;
  enabled: 0 | 1;
}
export interface FoundEvent extends OfTenant {
  type: string;
  createdAt: number;
}
export interface FoundDelivery extends OfTenant {
  webhookId: string;
  eventId: string;
}

/**
 * Searches a delivery database, across its tenants, for subscriptions whose host begins with `host`, which has no path.
 */
export async function searchHosts(db: Db, host: string): Promise<FoundSubscription[]> {
  return query<FoundSubscription>(db)`SELECT id, tenant_id AS tenantId, name, url, enabled FROM subscriptions
    WHERE is_deleted = 0 AND ${beginsWith(sql.raw("lower(substr(url, instr(url, '://') + 3, 255))"), host)}
      LIMIT ${MAX_FINDINGS}`;
}

/**
 * Searches a delivery database, across its tenants, for what has this id. A delivery is found through its event, whose
 * id begins like its own, through any of its attempts, or in the outbox while it waits for its first one.
 */
export async function searchId(db: Db, id: string) {
  const delivery = sql`WHERE e.id > ${`${id.slice(0, 23)}-`} AND e.id < ${`${id.slice(0, 23)}.`}`;
  const { subscriptions, events, deliveries } = await atomically(db, {
    subscriptions: rows<FoundSubscription>(
      sql`SELECT id, tenant_id AS tenantId, name, url, enabled FROM subscriptions WHERE id = ${id} AND is_deleted = 0`,
    ),
    events: rows<FoundEvent>(
      sql`SELECT id, tenant_id AS tenantId, type, created_at AS createdAt FROM events WHERE id = ${id}`,
    ),
    deliveries: rows<FoundDelivery>(sql`SELECT ${id} AS id, e.tenant_id AS tenantId, s.id AS webhookId, e.id AS eventId
      FROM events e CROSS JOIN subscriptions s ON s.tenant_id = e.tenant_id
        AND ${deliveryIdOf(sql`e.id`, sql`s.id`)} = ${id}
      ${delivery} AND (EXISTS (SELECT 1 FROM attempts a WHERE a.subscription_id = s.id AND a.id = ${id})
        OR EXISTS (SELECT 1 FROM outbox o WHERE o.queue IN (${MAIN}, s.id) AND o.due_at = e.created_at
          AND o.id = ${id}))
      UNION SELECT coalesce(a.delivery_id, a.id), s.tenant_id, s.id, a.event_id
        FROM (SELECT id, tenant_id FROM subscriptions WHERE id > '' ORDER BY id LIMIT ${EXAMINED_SUBSCRIPTIONS}) s
        CROSS JOIN attempts a ON a.subscription_id = s.id AND a.id = ${id}
      UNION SELECT o.id, o.tenant_id, o.subscription_id, o.event_id FROM outbox o
        WHERE o.queue = ${MAIN} AND o.due_at = ${timeOfId(id)} AND o.id = ${id}`),
  });
  return { subscriptions, events, deliveries };
}

/** Returns the names of tenants by id, in one read. Those that do not exist are missing. */
export async function namesOfTenants({ db }: Deps, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await query<{ id: string; name: string }>(db)`SELECT id, name FROM tenants
    WHERE id IN (SELECT value FROM json_each(${jsonList([...new Set(ids)])}))`;
  return new Map(found.map(({ id, name }) => [id, name]));
}
