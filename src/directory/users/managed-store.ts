/** Managed accounts in D1: they have the name and the address that the record has. */
import { type SQL, sql } from "drizzle-orm";
import { queryFirst } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { endMailedLinks } from "../../identity/accounts/mailed-links-store";
import { isFreeFor } from "../../identity/addresses-store";
import { isManaged } from "../../sign-on/people/managed-store";
import { domainOf, isProved } from "../../sign-on/people/world-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import type { DirectoryAccount } from "./account-store";
import { isWritten, type RecordChange } from "./change-store";
import { nameOf } from "./joining-store";

/** Whether the record gives a managed account another address. */
export const movesAccount = ({ email }: Pick<RecordChange, "email">, account: DirectoryAccount | null): boolean =>
  account?.isManaged === 1 && email !== null && email !== account.email;

/** True while the address can be the account's. */
export const isAddressFor = (tenantId: string, userId: string, email: string, nowMs: number): SQL =>
  sql`(${isFreeFor(userId, sql`${email}`, nowMs)} AND ${isProved(tenantId, domainOf(email))})`;

/** Whether it can be. */
export async function isAddressFree(
  { db }: Deps,
  tenantId: string,
  userId: string,
  email: string,
  nowMs: number,
): Promise<boolean> {
  const found = await queryFirst<{ is: 0 | 1 }>(db)`SELECT ${isAddressFor(tenantId, userId, email, nowMs)} AS "is"`;
  return found?.is === 1;
}

/** Gives a managed account the name and the address of the record. */
export function followRecord(
  change: RecordChange,
  account: DirectoryAccount,
  nowMs: number,
): Record<string, SQL | undefined> {
  if (account.isManaged === 0) return {};
  const { caller, record, email } = change;
  const { tenantId, connectionId, actor } = caller;
  const { userId } = account;
  const theirs = sql`u.id = ${userId} AND ${isManaged(connectionId, tenantId)} AND ${isWritten(change)}`;
  const changed = (what: "name" | "email") =>
    auditIfChanged({
      tenantId,
      action: "user.updated",
      actor,
      target: { kind: "user", id: userId },
      meta: { method: "directory", connection: connectionId, changed: [what] },
    });
  const name = nameOf(record);
  return {
    ...(name !== null &&
      name !== account.name && {
        renamed: sql`UPDATE users AS u SET name = ${name} WHERE ${theirs}`,
        recordedName: changed("name"),
      }),
    ...(movesAccount(change, account) && {
      moved: sql`UPDATE users AS u SET email = ${email}, email_verified_at = ${nowMs}, email_verified_by = 'connection'
        WHERE ${theirs} AND ${isAddressFor(tenantId, userId, email ?? "", nowMs)}`,
      recordedAddress: changed("email"),
      // They went to the former address, which may be somebody else's from now on.
      formerLinks: endMailedLinks(
        sql`${userId}`,
        sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND email = ${email})`,
      ),
    }),
  };
}
