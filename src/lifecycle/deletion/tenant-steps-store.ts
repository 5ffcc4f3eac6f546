/**
 * What the purge of a tenant removes, in order. A new table with rows of tenants needs a step;
 * test/lifecycle/purge.isolated.test.ts checks it.
 */
import { type SQL, sql } from "drizzle-orm";
import { firstIdAt } from "../../base/db/ids";
import type { Keyed } from "../../base/db/table-search";
import { endLogoutWebhooksOf } from "../../oauth/clients/logout-store";
import { placesOf } from "../../tenancy/moves/places";
import { endSubscriptionsOfTenant } from "../../webhooks/subscriptions/tenant-store";
import { deleting, mailsOnce } from "./pages-store";
import { forgetSequence, LEAVE_PLATFORM_KEYS, PUBLISHED } from "./platform-steps-store";
import type { Purge } from "./purge-store";
import { searchingForAll } from "./shared-search-store";
import { SETTLE, type Step } from "./steps";
import { tellMembers } from "./tell";

const END_SUBSCRIPTIONS: Step = {
  name: "end subscriptions",
  page: async (deps, { subjectId, shard, formerShard }) => {
    for (const place of placesOf({ tenantId: subjectId, shard: shard ?? 0, formerShard })) {
      await endSubscriptionsOfTenant(deps, place, deps.now());
    }
    return "done";
  },
};

/** What tells the tenant's apps of sign-ins that end; the platform has it. */
const END_LOGOUT_WEBHOOKS: Step = {
  name: "end logout webhooks",
  page: async (deps, { subjectId }) => {
    await endLogoutWebhooksOf(deps, subjectId);
    return "done";
  },
};

/** Rows of the tenant's subscriptions, which are found by the first column of the key. */
const ofSubscriptions = (where: DeliveryPlace, table: string, ...further: string[]): Step => {
  const key = ["subscription_id", ...further];
  const columns = sql.raw(key.map((column) => `a.${column}`).join(", "));
  return deleting(
    { table, key },
    where,
    ({ subjectId }) => sql`${columns} FROM subscriptions s
    CROSS JOIN ${sql.raw(table)} a ON a.subscription_id = s.id WHERE s.tenant_id = ${subjectId}`,
  );
};

type DeliveryPlace = "shard" | "former";

const isTenants = ({ subjectId }: Purge): SQL => sql`tenant_id = ${subjectId}`;

/** Rows that are found by the tenant's id. */
const ofTenant = (of: Keyed, where: "control" | DeliveryPlace): Step =>
  deleting(
    of,
    where,
    (purge) => sql`${sql.raw(of.key.join(", "))} FROM ${sql.raw(of.table)} WHERE ${isTenants(purge)}`,
  );

/** Rows of the tenant's connections, which are found by the first column of the key. */
const ofConnections = (table: string, ...further: string[]): Step => {
  const key = ["connection_id", ...further];
  const columns = sql.raw(key.map((column) => `a.${column}`).join(", "));
  return deleting(
    { table, key },
    "control",
    ({ subjectId }) => sql`${columns} FROM connections c CROSS JOIN ${sql.raw(table)} a ON a.connection_id = c.id
      WHERE c.tenant_id = ${subjectId}`,
  );
};

const AUDIT: Keyed = { table: "audit_events", key: ["tenant_id", "id"] };

/** What a delivery database has of a tenant. A later step finds the rows of earlier ones through the subscriptions. */
function deliverySteps(where: DeliveryPlace): Step[] {
  return [
    ofSubscriptions(where, "attempts", "id"),
    ofSubscriptions(where, "hourly_stats", "hour"),
    ofSubscriptions(where, "manual_retries", "event_id"),
    ofSubscriptions(where, "signing_keys", "id"),
    ofSubscriptions(where, "replay_jobs", "id"),
    ofSubscriptions(where, "episodes"),
    searchingForAll("outbox", where, () => ({ table: "outbox", key: ["queue", "due_at", "id"], first: ["", -1, ""] })),
    searchingForAll("events", where, ({ fromMs, toMs }) => ({
      table: "events",
      key: ["id"],
      first: [firstIdAt(fromMs)],
      end: [firstIdAt(toMs)],
    })),
    ofTenant({ table: "publishers", key: ["tenant_id"] }, where),
    ofTenant({ table: "idempotency_keys", key: ["tenant_id", "key"] }, where),
    ofTenant({ table: "order_sequences", key: ["tenant_id", "key"] }, where),
    ofTenant({ table: "event_type_versions", key: ["tenant_id", "name", "version"] }, where),
    ofTenant({ table: "event_types", key: ["tenant_id", "name"] }, where),
    ofTenant({ table: "publish_rules", key: ["tenant_id"] }, where),
    ofTenant({ table: "catalog_files", key: ["tenant_id", "format"] }, where),
    ofTenant({ table: "subscription_events", key: ["tenant_id", "event_type", "subscription_id"] }, where),
    ofTenant({ table: "audit_feeds", key: ["tenant_id"] }, where),
    ofTenant({ table: "sends_held", key: ["tenant_id", "cause"] }, where),
    ofTenant({ table: "feed_entries", key: ["tenant_id", "position"] }, where),
    ofTenant({ table: "feed_logs", key: ["tenant_id"] }, where),
    ofTenant({ table: "feed_types", key: ["tenant_id", "event_type", "feed_id"] }, where),
    ofTenant({ table: "feed_consumers", key: ["tenant_id", "feed_id", "name"] }, where),
    ofTenant({ table: "feeds", key: ["tenant_id", "id"] }, where),
    // After the rows that are found through the subscriptions.
    ofTenant({ table: "subscriptions", key: ["id"] }, where),
    ofTenant({ table: "departed_tenants", key: ["tenant_id"] }, where),
    ofTenant(AUDIT, where),
  ];
}

export const TENANT_STEPS: readonly Step[] = [
  tellMembers,
  END_SUBSCRIPTIONS,
  SETTLE,
  PUBLISHED,
  forgetSequence,
  LEAVE_PLATFORM_KEYS,
  // A request that was under way may have created one.
  { ...END_SUBSCRIPTIONS, name: "end late subscriptions" },
  ...deliverySteps("shard"),
  ...deliverySteps("former"),
  ofTenant(AUDIT, "control"),
  ofTenant({ table: "tenant_moves", key: ["id"] }, "control"),
  ofTenant({ table: "monthly_usage", key: ["tenant_id", "month"] }, "control"),
  deleting(
    { table: "source_errors", key: ["source_id", "reason", "slot"] },
    "control",
    ({ subjectId }) => sql`e.source_id, e.reason, e.slot FROM sources s CROSS JOIN source_errors e
      ON e.source_id = s.id WHERE s.tenant_id = ${subjectId}`,
  ),
  ofTenant({ table: "catalogs", key: ["slug"] }, "control"),
  ofTenant({ table: "portal_links", key: ["id"] }, "control"),
  ofTenant({ table: "oauth_consents", key: ["user_id", "client_id", "tenant_id"] }, "control"),
  ofTenant({ table: "oauth_grants", key: ["id"] }, "control"),
  ofTenant({ table: "oauth_rules", key: ["tenant_id", "client_id"] }, "control"),
  END_LOGOUT_WEBHOOKS,
  // After the subscriptions of the platform, which are found through them.
  ofTenant({ table: "oauth_clients", key: ["id"] }, "control"),
  ofTenant({ table: "oauth_resources", key: ["id"] }, "control"),
  ofConnections("sign_on_traces", "ring", "slot"),
  ofConnections("connection_identities", "generation", "subject"),
  ofConnections("directory_members", "group_id", "person_id"),
  ofConnections("directory_groups", "id"),
  ofConnections("directory_users", "id"),
  deleting(
    { table: "directory_jobs", key: ["connection_id", "kind"] },
    "control",
    // The rest of a connection that is deleted already is found through its job alone.
    ({ subjectId }) => sql`connection_id, kind FROM directory_jobs WHERE tenant_id = ${subjectId} AND kind <> 'end'`,
  ),
  ofTenant({ table: "scim_tokens", key: ["hash"] }, "control"),
  // After what is found through them.
  ofTenant({ table: "connections", key: ["id"] }, "control"),
  ofTenant({ table: "feed_tokens", key: ["hash"] }, "control"),
  // After the errors, which are found through the sources.
  ofTenant({ table: "sources", key: ["id"] }, "control"),
  deleting(
    { table: "email_tokens", key: ["hash"] },
    "control",
    ({
      subjectId,
    }) => sql`t.hash FROM invitations i CROSS JOIN email_tokens t ON t.subject_id = i.id AND t.purpose = 'invite'
      WHERE i.tenant_id = ${subjectId}`,
  ),
  // After the tokens, which are found through the invitations.
  ofTenant({ table: "invitations", key: ["id"] }, "control"),
  ofTenant({ table: "api_keys", key: ["id"] }, "control"),
  mailsOnce("substr(id, -73, 36)"),
];
