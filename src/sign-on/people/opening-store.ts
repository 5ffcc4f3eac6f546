/** A sign-on that is about to be written, and what must still hold of it. */
import { type SQL, sql } from "drizzle-orm";
import { isUnused } from "../../base/db/used-states-store";
import type { NewRevert } from "../../base/mail/revert-store";
import type { Actor } from "../../base/schemas/actor";
import type { AuditAction } from "../../base/schemas/audit-actions";
import type { Locale } from "../../base/schemas/locales";
import { mailCodeStillValid } from "../../identity/email-codes/store";
import { IS_OPEN } from "../../identity/policy/open-connection";
import type { NewSession } from "../../identity/sessions/store";
import { auditOfUser } from "../../tenancy/audit/record-store";
import type { SignedOn } from "../signed-on";
import type { SignOnVerdict } from "./judge";
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

/** Holds while the code is unused, and the connection, its tenant and what was proven are as they were. */
export const standing = ({ signedOn, stateId, mailId }: Pick<SignOnOpening, "signedOn" | "stateId" | "mailId">): SQL =>
  sql`(${isUnused(stateId)} AND ${mailId === null ? sql`true` : mailCodeStillValid(mailId)}
    AND EXISTS (SELECT 1 FROM connections c CROSS JOIN tenants t ON t.id = c.tenant_id
      WHERE c.id = ${signedOn.connectionId} AND c.tenant_id = ${signedOn.tenantId} AND ${IS_OPEN}
        AND c.version = ${signedOn.version} AND t.suspended_at IS NULL))`;

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
