/**
 * What the purge of an account removes, in order. A new table with rows of users needs a step;
 * test/lifecycle/purge.isolated.test.ts checks it.
 */
import { sql } from "drizzle-orm";
import { query } from "../../platform/db/client";
import { forgetActors } from "../../tenancy/audit/forget-store";
import { databasesOf, deleting, PAGE_ROWS, searching } from "./pages-store";
import { CUT_PLATFORM_EVENTS, forgetSequence, PUBLISHED } from "./platform-steps-store";
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

export const USER_STEPS: readonly Step[] = [
  SETTLE,
  PUBLISHED,
  forgetSequence,
  CUT_PLATFORM_EVENTS,
  deleting(
    { table: "sessions", key: ["id"] },
    "control",
    ({ subjectId }) => sql`id FROM sessions WHERE user_id = ${subjectId}`,
  ),
  deleting(
    { table: "email_tokens", key: ["hash"] },
    "control",
    ({ subjectId }) => sql`hash FROM email_tokens WHERE subject_id = ${subjectId}`,
  ),
  deleting(
    { table: "recovery_codes", key: ["user_id", "code_hash"] },
    "control",
    ({ subjectId }) => sql`user_id, code_hash FROM recovery_codes WHERE user_id = ${subjectId}`,
  ),
  deleting(
    { table: "identities", key: ["issuer", "sub"] },
    "control",
    ({ subjectId }) => sql`issuer, sub FROM identities WHERE user_id = ${subjectId}`,
  ),
  deleting(
    { table: "passkeys", key: ["id"] },
    "control",
    ({ subjectId }) => sql`id FROM passkeys WHERE user_id = ${subjectId}`,
  ),
  deleting(
    { table: "known_devices", key: ["user_id", "key"] },
    "control",
    ({ subjectId }) => sql`user_id, key FROM known_devices WHERE user_id = ${subjectId}`,
  ),
  ANONYMISE_AUDIT,
  // Events of the account from the time when it was in no tenant.
  deleting(
    { table: "audit_events", key: ["tenant_id", "id"] },
    "everywhere",
    ({ subjectId }) => sql`tenant_id, id FROM audit_events WHERE tenant_id = ${subjectId}`,
  ),
  // After the audit events, which are found by the ids of the keys.
  deleting(
    { table: "api_keys", key: ["id"] },
    "control",
    ({ subjectId }) => sql`id FROM api_keys WHERE user_id = ${subjectId}`,
  ),
  // Newer invitations for the address stay: somebody may have registered it again.
  searching("invitations", "control", ({ subjectId, email, createdAt }) => ({
    table: "invitations",
    key: ["id"],
    columns: ["invited_by", "accepted_by", "email", "created_at"],
    condition: sql`invited_by = ${subjectId} OR accepted_by = ${subjectId} OR (email = ${email}
      AND created_at <= ${createdAt})`,
    dependents: (keys) => sql`DELETE FROM email_tokens WHERE purpose = 'invite' AND subject_id IN ${keys}`,
  })),
  searching("tenants", "control", ({ subjectId }) => ({
    table: "tenants",
    key: ["id"],
    columns: ["created_by"],
    condition: sql`created_by = ${subjectId}`,
    set: sql`created_by = ''`,
  })),
  searching("portal_links", "control", ({ subjectId }) => ({
    table: "portal_links",
    key: ["id"],
    columns: ["maker_id"],
    condition: sql`maker_id = ${subjectId}`,
  })),
  searching("alert_mails", "control", ({ subjectId }) => ({
    table: "alert_mails",
    key: ["id"],
    columns: [],
    condition: sql`instr(id, ${subjectId}) > 0`,
  })),
  searching("import_reports", "control", ({ subjectId }) => ({
    table: "import_reports",
    key: ["import_id", "last_line"],
    columns: ["entries"],
    condition: sql`instr(entries, ${subjectId}) > 0`,
    // It is never the first member.
    set: sql`entries = replace(entries, ${`,"userId":"${subjectId}"`}, '')`,
  })),
  afterTenants,
  tellFormerUser,
];
