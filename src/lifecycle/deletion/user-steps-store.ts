/**
 * What the purge of an account removes, in order. A new table with rows of users needs a step;
 * test/lifecycle/purge.isolated.test.ts checks it.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, CHANGES, countOf, query } from "../../base/db/client";
import type { Keyed } from "../../base/db/table-search";
import { forgetActors } from "../../tenancy/audit/forget-store";
import { databasesOf, deleting, mailsOnce, PAGE_ROWS } from "./pages-store";
import { CUT_PLATFORM_EVENTS, forgetSequence, PUBLISHED } from "./platform-steps-store";
import type { Purge } from "./purge-store";
import { LEAVE_REPORTS } from "./report-steps-store";
import { SETTLE, type Step } from "./steps";
import { afterTenants, tellFormerUser } from "./tell";

/** The audit logs of tenants keep who did what, by id. The name, IP address and browser of the person are removed. */
const ANONYMISE_AUDIT: Step = {
  name: "anonymise audit events",
  page: async (deps, purge) => {
    const keys = await query<{ id: string }>(deps.db)`SELECT id FROM api_keys WHERE user_id = ${purge.subjectId}`;
    const actorIds = [purge.subjectId, ...keys.map(({ id }) => id)];
    const databases = databasesOf(deps, purge, "everywhere");
    for (const db of databases) {
      if ((await forgetActors(db, databases, actorIds, PAGE_ROWS)) === PAGE_ROWS) return { cursor: "" };
    }
    return "done";
  },
};

/** Newer invitations for the address stay: somebody may have registered it again. */
const invitationsOf = ({ subjectId, email, createdAt }: Purge): SQL => sql`
  SELECT id FROM invitations WHERE invited_by = ${subjectId}
  UNION SELECT id FROM invitations WHERE accepted_by = ${subjectId}
  UNION SELECT id FROM invitations WHERE email = ${email} AND created_at <= ${createdAt}`;

const TOKENS_OF_INVITATIONS: Step = {
  ...deleting(
    { table: "email_tokens", key: ["hash"] },
    "control",
    (purge) => sql`hash FROM email_tokens WHERE purpose = 'invite' AND subject_id IN (${invitationsOf(purge)})`,
  ),
  // Names tell steps apart, and the account's own tokens are in the same table.
  name: "tokens of invitations",
};

/** Tenants outlive the account that made them. */
const ANONYMISE_TENANTS: Step = {
  name: "anonymise tenants",
  page: async ({ db }, { subjectId }) => {
    const { count } = await atomically(db, {
      changed: sql`UPDATE tenants SET created_by = '' WHERE id IN (SELECT id FROM tenants
        WHERE created_by = ${subjectId} LIMIT ${PAGE_ROWS})`,
      count: CHANGES,
    });
    return countOf(count) === PAGE_ROWS ? { cursor: "" } : "done";
  },
};

/** Rows of the control plane that are found by the id of the user. */
const ofUser = ({ table, key }: Keyed, column = "user_id"): Step =>
  deleting(
    { table, key },
    "control",
    ({ subjectId }) => sql`${sql.raw(`${key.join(", ")} FROM ${table} WHERE ${column}`)} = ${subjectId}`,
  );

export const USER_STEPS: readonly Step[] = [
  SETTLE,
  PUBLISHED,
  forgetSequence,
  CUT_PLATFORM_EVENTS,
  ofUser({ table: "sessions", key: ["id"] }),
  ofUser({ table: "oauth_grants", key: ["id"] }),
  ofUser({ table: "oauth_consents", key: ["user_id", "client_id", "tenant_id"] }),
  ofUser({ table: "email_tokens", key: ["hash"] }, "subject_id"),
  ofUser({ table: "recovery_codes", key: ["user_id", "code_hash"] }),
  ofUser({ table: "identities", key: ["issuer", "sub"] }),
  ofUser({ table: "connection_identities", key: ["connection_id", "generation", "subject"] }),
  // The directory makes a new record for whoever it still has.
  ofUser({ table: "directory_users", key: ["connection_id", "id"] }),
  ofUser({ table: "passkeys", key: ["id"] }),
  ofUser({ table: "known_devices", key: ["user_id", "key"] }),
  ANONYMISE_AUDIT,
  // Events of the account from the time when it was in no tenant.
  deleting(
    { table: "audit_events", key: ["tenant_id", "id"] },
    "everywhere",
    ({ subjectId }) => sql`tenant_id, id FROM audit_events WHERE tenant_id = ${subjectId}`,
  ),
  // After the audit events, which are found by the ids of the keys.
  ofUser({ table: "api_keys", key: ["id"] }),
  // Newer invitations for the address stay: somebody may have registered it again.
  TOKENS_OF_INVITATIONS,
  // After the tokens, which are found through the invitations.
  deleting({ table: "invitations", key: ["id"] }, "control", (purge) => sql`id FROM (${invitationsOf(purge)})`),
  ANONYMISE_TENANTS,
  ofUser({ table: "portal_links", key: ["id"] }, "maker_id"),
  mailsOnce("substr(id, -36)"),
  LEAVE_REPORTS,
  afterTenants,
  tellFormerUser,
];
