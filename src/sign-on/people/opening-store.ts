/** A sign-on that is about to be written, and what must still hold of it. */
import { type SQL, sql } from "drizzle-orm";
import { isUnused } from "../../base/db/used-states-store";
import type { NewRevert } from "../../base/mail/revert-store";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { Locale } from "../../base/schemas/locales";
import { mailCodeStillValid } from "../../identity/email-codes/store";
import { IS_OPEN } from "../../identity/policy/open-connection-store";
import type { NewSession } from "../../identity/sessions/store";
import { auditOfUser } from "../../tenancy/audit/record-store";
import type { SignedOn } from "../signed-on";
import type { SignOnVerdict } from "./judge";
import { hasLeft, hasRecords } from "./record-store";
import { isOfSubject } from "./world-store";

export interface SignOnOpening {
  signedOn: SignedOn;
  verdict: SignOnVerdict;
  /** Under which the use of the code is stored. */
  stateId: string;
  /** The mail whose code has proven the address, or that the owner agrees; null where none was needed. */
  mailId: string | null;
  session: NewSession;
  /** The id of an identity that is new. */
  identityId: string;
  /** The links of the notices about a new device and about an account that was linked. */
  reverts: { device: NewRevert; link: NewRevert };
  person: Actor;
  connection: Actor;
  /** Where an account is made from; see `NewUser`. */
  createdFrom: string;
  locale: Locale | null;
}

/** Holds while the connection, its tenant and what was proven are as they were. */
const stands = ({ signedOn, mailId }: Pick<SignOnOpening, "signedOn" | "mailId">): SQL =>
  sql`(${mailId === null ? sql`true` : mailCodeStillValid(mailId)}
    AND EXISTS (SELECT 1 FROM connections c CROSS JOIN tenants t ON t.id = c.tenant_id
      WHERE c.id = ${signedOn.connectionId} AND c.tenant_id = ${signedOn.tenantId} AND ${IS_OPEN}
        AND c.version = ${signedOn.version} AND t.suspended_at IS NULL))`;

/** The same, and the code is unused. */
export const standing = (opening: Pick<SignOnOpening, "signedOn" | "stateId" | "mailId">): SQL =>
  sql`(${isUnused(opening.stateId)} AND ${stands(opening)})`;

/**
 * Uses the code, and fails where it was used before. Gives it back at once unless all stands as it was judged and no
 * directory has said meanwhile that the person has left. First in the batch: what follows asks for `isBegun` alone,
 * which is one row.
 */
export function begin(opening: SignOnOpening): SQL[] {
  const { signedOn, verdict, stateId } = opening;
  const { userId = "", email = signedOn.email } = verdict.account ?? {};
  const left = sql`(${hasRecords(signedOn.tenantId)} AND ${hasLeft(signedOn, { userId, email })})`;
  return [
    sql`INSERT INTO used_states (id) VALUES (${stateId})`,
    giveBack(opening, sql`(${stands(opening)} AND NOT ${left})`),
  ];
}

/** Lets the code be used again unless `condition` holds. Then it does not even look for it. */
export const giveBack = ({ stateId }: Pick<SignOnOpening, "stateId">, condition: SQL): SQL =>
  sql`DELETE FROM used_states WHERE id = iif(${condition}, NULL, ${stateId})`;

/** Holds in a sign-on that has begun. */
export const isBegun = ({ stateId }: Pick<SignOnOpening, "stateId">): SQL =>
  sql`EXISTS (SELECT 1 FROM used_states WHERE id = ${stateId})`;

/** Records what the connection has just done to an account, if it has. */
export const recordChange = (
  { signedOn: { tenantId, connectionId }, connection }: Pick<SignOnOpening, "signedOn" | "connection">,
  action: AuditAction,
  userId: string,
  more: Readonly<Record<string, string | readonly string[]>> = {},
): SQL =>
  auditOfUser(
    action,
    { tenantId, userId, actor: connection },
    { ...more, method: "sign-on", connection: connectionId },
  );

/** Holds once the subject is the account's, and nobody has removed the person. */
export const isTheirs = ({ signedOn, session }: SignOnOpening): SQL =>
  sql`EXISTS (SELECT 1 FROM connection_identities i WHERE ${isOfSubject(signedOn)} AND i.user_id = ${session.userId}
    AND i.removed_at IS NULL)`;
