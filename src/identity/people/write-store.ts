/** Writing people and what comes with them, across tenants, as statements of the batch that decides about them. */
import { type SQL, sql } from "drizzle-orm";
import { jsonList } from "../../base/db/client";
import { newId } from "../../base/db/ids";
import type { Actor } from "../../base/schemas/actor";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { auditEach, type NewAuditEvent, tenantOfAccount } from "../../tenancy/audit/record-store";
import { endMailedLinks } from "../accounts/mailed-links-store";
import { reclaim } from "../reclaim/reclaim-store";
import type { PersonChange } from "./decide";

/** A change, with the secret of its second factor encrypted for the person. */
export interface SealedChange extends PersonChange {
  row: { createdAt: number | null; isSuspended: boolean };
  totpSealed: string | null;
}

/** Where people come from, as the audit log says it. */
export interface PeopleSource {
  /** Who did it, in the person's own activity. */
  own: Actor;
  /** Who did it, in the logs of tenants that get a member. */
  ofMembers: Actor;
  /** Who did it, in the log of the platform; null: that log does not have it. */
  platform: Actor | null;
  /** Members of each event's meta, as arguments of SQL's `json_object`. */
  meta: SQL;
}

const SUSPENDED_REASON = "Imported as suspended";

/** The statements that write these changes. */
export function writePeople(source: PeopleSource, changes: readonly SealedChange[], nowMs: number) {
  const added = changes.filter(({ isNew }) => isNew);
  const completed = changes.filter(({ isNew }) => !isNew);
  const takenOver = changes.filter(({ takesOver }) => takesOver).map(({ person }) => person.id);
  const moved = changes.filter(({ isMoved, isNew }) => isMoved && !isNew).map(({ person }) => person.id);
  return {
    passwords: takenOver.map((userId) => sql`UPDATE users SET password_hash = '' WHERE id = ${userId}`),
    ended: takenOver.flatMap((userId) => Object.values(reclaim(userId, sql`1`, nowMs)).flat()),
    links: moved.map((userId) => endMailedLinks(sql`${userId}`, sql`1`)),
    inserted: insertPeople(added, nowMs),
    updated: updatePeople(completed, nowMs),
    recordedNew: events(source, "user.created", added, nowMs),
    recordedUpdates: events(source, "user.updated", completed, nowMs),
    ...addCredentials(changes, nowMs),
    ...addMemberships(source, changes, nowMs),
  };
}

const textOf = (member: string): SQL => sql.raw(`(j.value ->> '${member}')`);

function insertPeople(changes: readonly SealedChange[], nowMs: number): SQL | undefined {
  if (changes.length === 0) return undefined;
  const people = changes.map(({ person, row, passwordHash, totpSealed }) => ({
    id: person.id,
    email: person.email,
    name: person.name,
    externalId: person.externalId,
    password: passwordHash ?? "",
    totp: totpSealed,
    enrolment: newId(),
    createdAt: row.createdAt ?? nowMs,
    isVerified: person.isVerified ? 1 : 0,
    isSuspended: row.isSuspended ? 1 : 0,
  }));
  return sql`INSERT INTO users (id, email, name, external_id, password_hash, email_verified_at, email_verified_by,
      totp_secret_encrypted, totp_enrolment_id, totp_enabled_at, created_at, updated_at, suspended_at, suspended_reason)
    SELECT ${textOf("id")}, ${textOf("email")}, ${textOf("name")}, ${textOf("externalId")}, ${textOf("password")},
      iif(${textOf("isVerified")}, ${nowMs}, NULL), iif(${textOf("isVerified")}, 'platform', NULL), ${textOf("totp")},
      iif(${textOf("totp")} IS NULL, NULL, ${textOf("enrolment")}), iif(${textOf("totp")} IS NULL, NULL, ${nowMs}),
      ${textOf("createdAt")}, ${nowMs}, iif(${textOf("isSuspended")}, ${nowMs}, NULL),
      iif(${textOf("isSuspended")}, ${SUSPENDED_REASON}, NULL)
    FROM json_each(${jsonList(people)}) j`;
}

function updatePeople(changes: readonly SealedChange[], nowMs: number): SQL | undefined {
  if (changes.length === 0) return undefined;
  const people = changes.map(({ person, isMoved, isNewlyVerified, passwordHash, totpSealed }) => ({
    id: person.id,
    email: person.email,
    name: person.name,
    externalId: person.externalId,
    password: passwordHash,
    totp: totpSealed,
    enrolment: newId(),
    verification: isNewlyVerified ? "new" : isMoved ? "none" : "kept",
  }));
  const verified = (fresh: SQL, column: SQL) =>
    sql`CASE ${textOf("verification")} WHEN 'new' THEN ${fresh} WHEN 'none' THEN NULL ELSE ${column} END`;
  const withTotp = (fresh: SQL, column: SQL) => sql`iif(${textOf("totp")} IS NULL, ${column}, ${fresh})`;
  return sql`UPDATE users SET email = ${textOf("email")}, name = ${textOf("name")},
      external_id = ${textOf("externalId")}, password_hash = coalesce(${textOf("password")}, password_hash),
      email_verified_at = ${verified(sql`${nowMs}`, sql`email_verified_at`)},
      email_verified_by = ${verified(sql`'platform'`, sql`email_verified_by`)},
      totp_enrolment_id = ${withTotp(textOf("enrolment"), sql`totp_enrolment_id`)},
      totp_enabled_at = ${withTotp(sql`${nowMs}`, sql`totp_enabled_at`)},
      totp_last_step = ${withTotp(sql`0`, sql`totp_last_step`)},
      totp_secret_encrypted = coalesce(${textOf("totp")}, totp_secret_encrypted)
    FROM json_each(${jsonList(people)}) j WHERE users.id = ${textOf("id")}`;
}

/** The statements that add identities and passkeys. */
function addCredentials(changes: readonly PersonChange[], nowMs: number) {
  const identities = changes.flatMap(({ person, identities: added }) =>
    added.map((identity) => ({ ...identity, id: newId(), userId: person.id })),
  );
  const passkeys = changes.flatMap(({ person, passkeys: added }) =>
    added.map((passkey) => ({ ...passkey, userId: person.id })),
  );
  return {
    identities:
      identities.length === 0
        ? undefined
        : sql`INSERT INTO identities (issuer, sub, id, user_id, provider, email, created_at)
          SELECT ${textOf("issuer")}, ${textOf("subject")}, ${textOf("id")}, ${textOf("userId")}, ${textOf("provider")},
            ${textOf("email")}, ${nowMs} FROM json_each(${jsonList(identities)}) j`,
    passkeys:
      passkeys.length === 0
        ? undefined
        : sql`INSERT INTO passkeys (id, user_id, public_key, counter, transports, backed_up, aaguid, name, created_at)
          SELECT ${textOf("id")}, ${textOf("userId")}, ${textOf("publicKey")}, ${textOf("counter")},
            ${textOf("transports")}, 0, '', ${textOf("name")}, ${nowMs} FROM json_each(${jsonList(passkeys)}) j`,
  };
}

/** The statements that add people to tenants, and record that. */
function addMemberships(source: PeopleSource, changes: readonly PersonChange[], nowMs: number) {
  const added = changes.flatMap(({ person, memberships }) =>
    memberships.map((membership) => ({ ...membership, userId: person.id })),
  );
  if (added.length === 0) return {};
  const list = sql`json_each(${jsonList(added)}) j`;
  const joined = (tenantId: string | SQL, actor: Actor) =>
    auditEach(
      {
        tenantId,
        action: "member.added",
        actor,
        target: { kind: "user", id: textOf("userId") },
        meta: sql`json_object('role', ${textOf("role")}, 'tenantId', ${textOf("tenantId")}, ${source.meta})`,
      },
      list,
      // After the event that says that the person was created.
      nowMs + 1,
    );
  return {
    memberships: sql`INSERT INTO memberships (tenant_id, user_id, role, owner_since, created_at)
      SELECT ${textOf("tenantId")}, ${textOf("userId")}, ${textOf("role")},
        iif(${textOf("role")} = 'owner', ${nowMs}, NULL), ${nowMs} FROM ${list}`,
    recordedMembers: [
      joined(textOf("tenantId"), source.ofMembers),
      ...(source.platform ? [joined(PLATFORM_TENANT, source.platform)] : []),
    ],
  };
}

/** The events about people: in their own activity, and in the platform's log if that has them. */
function events(
  { own, platform, meta }: PeopleSource,
  action: "user.created" | "user.updated",
  changes: readonly PersonChange[],
  nowMs: number,
): SQL[] {
  if (changes.length === 0) return [];
  const people = changes.map(({ person, changed }) => ({ id: person.id, changed }));
  const changed = action === "user.updated" ? sql`'changed', json(j.value -> 'changed'), ` : sql``;
  const event: Omit<NewAuditEvent, "tenantId" | "actor"> = {
    action,
    target: { kind: "user", id: textOf("id") },
    meta: sql`json_object(${changed}${meta})`,
  };
  const list = sql`json_each(${jsonList(people)}) j`;
  return [
    auditEach({ ...event, tenantId: tenantOfAccount(textOf("id")), actor: own }, list, nowMs),
    ...(platform ? [auditEach({ ...event, tenantId: PLATFORM_TENANT, actor: platform }, list, nowMs)] : []),
  ];
}
