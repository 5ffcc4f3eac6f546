/** The account and the membership of whom a directory brings, in D1. */
import { type SQL, sql } from "drizzle-orm";
import type { Role } from "../../base/schemas/roles";
import { addressOfNewUser } from "../../identity/addresses-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { isDeactivated } from "../../tenancy/tenants/deactivated-store";
import type { DirectoryUser } from "../protocol/user";
import { isWritten, type RecordChange } from "./change-store";

const MAX_NAME_CHARACTERS = 200;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

/** The name of a person as an account has it; null: the record has none. */
export function nameOf({ displayName, name }: DirectoryUser): string | null {
  const parts = [name?.givenName, name?.familyName].filter((part) => part !== undefined).join(" ");
  const text = (displayName ?? name?.formatted ?? parts).replaceAll(CONTROL_CHARACTERS, " ").trim();
  return [...text].slice(0, MAX_NAME_CHARACTERS).join("").trim() || null;
}

/** A managed account: without a password, and verified by the connection. */
export function makeAccount(change: RecordChange, nowMs: number): Record<string, SQL> {
  const { caller, userId, email, record } = change;
  return {
    user: sql`INSERT INTO users (id, email, name, password_hash, email_verified_at, email_verified_by, created_at)
      SELECT ${userId}, ${addressOfNewUser(email ?? "", nowMs)}, ${nameOf(record)}, '', ${nowMs}, 'connection', ${nowMs}
      WHERE ${isWritten(change)}`,
    made: auditIfChanged({
      tenantId: caller.tenantId,
      action: "user.created",
      actor: caller.actor,
      target: { kind: "user", id: userId ?? "" },
      meta: { method: "directory", connection: caller.connectionId },
    }),
  };
}

/** Makes a membership with the role that the directory gives, unless another directory of the tenant keeps them out. */
export function joinPerson(change: RecordChange, role: Role, nowMs: number): Record<string, SQL> {
  const { caller, userId } = change;
  const { tenantId, connectionId } = caller;
  const keptOut = isDeactivated(tenantId, { userId: sql`u.id`, email: sql`u.email` }, connectionId);
  return {
    membership: sql`INSERT INTO memberships (tenant_id, user_id, role, created_at, connection_id, role_by)
      SELECT ${tenantId}, u.id, ${role}, ${nowMs}, ${connectionId}, 'directory' FROM users u
      WHERE u.id = ${userId} AND ${isWritten(change)} AND NOT ${keptOut}
      ON CONFLICT DO NOTHING`,
    joined: auditIfChanged({
      tenantId,
      action: "member.added",
      actor: caller.actor,
      target: { kind: "user", id: userId ?? "" },
      meta: { role, method: "directory", connection: connectionId },
    }),
  };
}
