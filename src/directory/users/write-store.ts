/**
 * Writing a record in D1: one batch keeps it, makes or finds its account, and lets the person join or leave, or writes
 * nothing. The record is written first and names its write, by which the other statements see that it was made.
 */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { domainOf, isProved } from "../../sign-on/people/world-store";
import { judgedRole } from "../../sign-on/rules/judged-store";
import { decidedByGroups } from "../../sign-on/rules/roles";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { isWritten, type RecordChange, type Written } from "./change-store";
import { departureOf, endAccess } from "./departure-store";
import { joinPerson, makeAccount } from "./joining-store";
import { followRecord, isAddressFor, movesAccount } from "./managed-store";
import { namedBy } from "./named";
import type { StoredRecord } from "./record-store";
import { noteDeparture } from "./tell-store";

/** Throws where the name or the address is taken that was free. */
export async function writeRecord(deps: Deps, change: RecordChange, nowMs: number): Promise<Written> {
  const { verdict, before, userId } = change;
  const leaves = verdict.state === "inactive" && userId !== null;
  const isHeldNow = verdict.state === "held" && before?.state !== "held";
  const { written, together } = await atomically(deps.db, {
    written: before === null ? insertRecord(deps, change, nowMs) : updateRecord(change, before, nowMs),
    held: isHeldNow ? recordHeld(change) : undefined,
    ...(verdict.isMade ? makeAccount(change, nowMs) : {}),
    ...(verdict.joinsAs === null ? {} : joinPerson(change, verdict.joinsAs, nowMs)),
    ...(verdict.state === "active" && verdict.account ? followRecord(change, verdict.account, nowMs) : {}),
    lifted: verdict.state === "active" && change.world.hasTombstone ? liftTombstones(change) : undefined,
    ...(leaves && before?.state !== "inactive" ? endAccess(departureOf(change.caller, change), nowMs) : {}),
    together:
      verdict.state === "inactive" && before?.state === "active"
        ? noteDeparture(change.caller.connectionId, isWritten(change), nowMs)
        : undefined,
  });
  if (written.length === 0) return "changed";
  return { version: (before?.version ?? 0) + 1, updatedAt: nowMs, together: together[0] };
}

const recordHeld = ({ caller, id, verdict }: RecordChange): SQL =>
  auditIfChanged({
    tenantId: caller.tenantId,
    action: "directory.held",
    actor: caller.actor,
    target: { kind: "connection", id: caller.connectionId },
    meta: { person: id, reason: verdict.reason ?? "" },
  });

/** Holds while the connection is as it was read, and the account as it was judged. */
function stands(change: RecordChange, nowMs: number): SQL {
  const { caller, id, email, verdict } = change;
  const { connectionId, tenantId, version } = caller;
  const { account, isLinked, isMade } = verdict;
  const isSameAccount = sql`EXISTS (SELECT 1 FROM users u WHERE u.id = ${account?.userId}
      AND u.email = ${account?.email} AND u.email_verified_at IS NOT NULL AND u.suspended_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM directory_users o WHERE o.user_id = ${account?.userId}
      AND o.connection_id = ${connectionId} AND o.state <> 'removed' AND o.id <> ${id})`;
  const moves = movesAccount({ email }, account);
  const needsDomain = isMade || (isLinked && account?.email === email);
  return sql`EXISTS (SELECT 1 FROM connections c WHERE c.id = ${connectionId} AND c.tenant_id = ${tenantId}
      AND c.version = ${version} AND c.state <> 'disabled')
    ${isLinked ? sql`AND ${isSameAccount}` : sql``}
    ${moves ? sql`AND ${isAddressFor(tenantId, account?.userId ?? "", email ?? "", nowMs)}` : sql``}
    ${hasSameAccount(change)} ${needsDomain ? sql`AND ${isProved(tenantId, domainOf(email))}` : sql``}
    ${hasSameRole(change)}`;
}

/**
 * Holds while who becomes active as a member still is one, and while whoever left before they came has no account. Whom
 * somebody removes whose record is active has another version of it then.
 */
function hasSameAccount({ caller, before, email, verdict, world }: RecordChange): SQL {
  const { account, state, joinsAs } = verdict;
  if (account && state === "active" && joinsAs === null && before?.state !== "active")
    return sql`AND EXISTS (SELECT 1 FROM memberships sm WHERE sm.tenant_id = ${caller.tenantId}
      AND sm.user_id = ${account.userId})`;
  const isUnknown = state === "inactive" && account === null && world.addressed?.isVerified !== 1;
  return isUnknown && email !== null
    ? sql`AND NOT EXISTS (SELECT 1 FROM users su WHERE su.email = ${email} AND su.email_verified_at IS NOT NULL)`
    : sql``;
}

/** Holds while the groups of a record give the role that was judged: groups change without their people's records. */
function hasSameRole({ caller, id, before, verdict }: RecordChange): SQL {
  const { connectionId, settings } = caller;
  const counts = verdict.joinsAs !== null || verdict.reason === "no_role";
  const { rules } = decidedByGroups(settings.roles);
  if (!counts || before === null || rules.length === 0) return sql``;
  const judged = judgedRole({ connectionId, roles: settings.roles }, { person: sql`${id}` });
  return sql`AND coalesce(nullif(${judged}, 'unchanged'), ${settings.roles.default}) IS ${verdict.joinsAs}`;
}

/** The texts and marks that follow from what is kept. */
function columnsOf({ record, email, userId, verdict }: RecordChange) {
  const addresses = (record.emails ?? []).map(({ value }) => value.toLowerCase());
  const [otherEmail = null, ...more] = new Set(addresses.filter((one) => one !== email));
  return {
    nameKey: record.userName.toLowerCase(),
    externalId: record.externalId ?? null,
    email,
    userId,
    isMaker: Number(verdict.isMade),
    state: verdict.state,
    reason: verdict.reason,
    record: JSON.stringify(record),
    otherEmail,
    hasMoreEmails: Number(more.length > 0),
  };
}

function insertRecord({ config }: Deps, change: RecordChange, nowMs: number) {
  const { caller, id, writeId } = change;
  const c = columnsOf(change);
  return rows<{ id: string }>(sql`INSERT INTO directory_users (connection_id, id, name_key, external_id, email, user_id,
      is_maker, state, reason, state_at, record, other_email, has_more_emails, version, write_id, created_at,
      updated_at)
    SELECT n.id, ${id}, ${c.nameKey}, ${c.externalId}, ${c.email}, ${c.userId}, ${c.isMaker}, ${c.state}, ${c.reason},
      ${nowMs}, ${c.record}, ${c.otherEmail}, ${c.hasMoreEmails}, 1, ${writeId}, ${nowMs}, ${nowMs}
    FROM connections n WHERE n.id = ${caller.connectionId}
      AND n.directory_active + n.directory_inactive + n.directory_held < ${config.caps.directoryUsers}
      AND ${stands(change, nowMs)} RETURNING id`);
}

/** What has an index, where it changes: SQLite writes the entry of all that is set, also to what it is. */
function changedNames(change: RecordChange, before: StoredRecord): SQL {
  const { nameKey, externalId, email, userId } = columnsOf(change);
  const { record } = before;
  const isSame =
    record.userName.toLowerCase() === nameKey &&
    (record.externalId ?? null) === externalId &&
    namedBy(record, null).email === email &&
    before.userId === userId;
  return isSame
    ? sql``
    : sql`name_key = ${nameKey}, external_id = ${externalId}, email = ${email}, user_id = ${userId},`;
}

function updateRecord(change: RecordChange, before: StoredRecord, nowMs: number) {
  const { caller, id, writeId } = change;
  const c = columnsOf(change);
  const names = changedNames(change, before);
  return rows<{ id: string }>(sql`UPDATE directory_users SET ${names}
      is_maker = max(is_maker * (user_id IS ${c.userId}), ${c.isMaker}),
      state = ${c.state}, reason = ${c.reason}, state_at = iif(state = ${c.state}, state_at, ${nowMs}),
      record = ${c.record}, other_email = ${c.otherEmail}, has_more_emails = ${c.hasMoreEmails}, version = version + 1,
      write_id = ${writeId}, updated_at = ${nowMs}
    WHERE connection_id = ${caller.connectionId} AND id = ${id} AND version = ${before.version} AND state <> 'removed'
      AND ${stands(change, nowMs)} RETURNING id`);
}

/** A new record of somebody who was removed lets them in again. */
const liftTombstones = (change: RecordChange): SQL =>
  sql`DELETE FROM directory_users INDEXED BY directory_users_by_email
    WHERE connection_id = ${change.caller.connectionId} AND email = ${change.email} AND state = 'removed'
      AND ${isWritten(change)}`;
