/** A tenant's directory in which thousands of people are already: by SQL, because requests would take minutes. */
import { type Account, ask, tenantOf } from "./account.ts";
import type { Database } from "./database.ts";
import type { Client } from "./load.ts";

/** Few enough rows, because D1 limits the time of one statement. */
const ROWS_PER_STATEMENT = 50_000;
const SESSION_MS = 86_400_000;

export interface BenchDirectory {
  client: Client;
  connectionId: string;
  tenantId: string;
  /** Proved. */
  domain: string;
  /** With the token, as a directory sends them. */
  headers: Record<string, string>;
}

/** A connection for a directory alone, with a domain and a token, that gives everybody a role. */
export async function createDirectory(owner: Account, database: Database): Promise<BenchDirectory> {
  const { client, headers } = owner;
  const [tenantId, domain] = [await tenantOf(owner), "directory.example"];
  await database
    .prepare(
      `INSERT INTO domains (tenant_id, domain, state, proved_by, proved_at, denied_days, created_at)
       VALUES (?, ?, 'proved', 'platform', 1, 0, 1)`,
    )
    .bind(tenantId, domain)
    .run();
  await database.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(owner.email).run();
  const path = "/api/v1/tenant/connections";
  const roles = { default: "member", rules: [{ group: "Administrators", role: "admin" }], when: "every" };
  const body = { name: "Directory", kind: "directory", roles };
  const { id } = await ask<{ id: string }>(client, { method: "POST", path, headers, body });
  const made = { method: "POST", path: `${path}/${id}/scim-tokens`, headers, body: {} } as const;
  const { token } = await ask<{ token: string }>(client, made);
  return { client, connectionId: id, tenantId, domain, headers: { authorization: `Bearer ${token}` } };
}

const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)";
const ADDRESS = "'person-' || i || '@' || ?4";
const idOf = (kind: number) => `printf('0000000${kind}-0000-7000-8000-%012x', i)`;
const [ACCOUNT, RECORD] = [idOf(1), idOf(2)];

/** ?3 is the connection, ?4 the domain, ?5 the tenant, ?6 now. */
const PEOPLE = [
  `${NUMBERS} INSERT INTO users (id, email, name, password_hash, email_verified_at, email_verified_by, created_at)
    SELECT ${ACCOUNT}, ${ADDRESS}, 'Grace Hopper', '', 1, 'connection', 1 FROM n WHERE ?3 = ?3 AND ?5 = ?5 AND ?6 = ?6`,
  `${NUMBERS} INSERT INTO memberships (tenant_id, user_id, role, created_at, connection_id, role_by)
    SELECT ?5, ${ACCOUNT}, 'member', 1, ?3, 'directory' FROM n WHERE ?4 = ?4 AND ?6 = ?6`,
  `${NUMBERS} INSERT INTO directory_users (connection_id, id, name_key, external_id, email, user_id, is_maker, state,
      state_at, record, version, write_id, created_at, updated_at)
    SELECT ?3, ${RECORD}, ${ADDRESS}, 'ext-' || i, ${ADDRESS}, ${ACCOUNT}, 1, 'active', 1,
      json_object('externalId', 'ext-' || i, 'userName', ${ADDRESS}, 'active', json('true'), 'displayName',
        'Grace Hopper', 'name', json_object('givenName', 'Grace', 'familyName', 'Hopper'), 'emails',
        json_array(json_object('value', ${ADDRESS}, 'type', 'work', 'primary', json('true')))),
      1, ${ACCOUNT}, 1, i FROM n WHERE ?5 = ?5 AND ?6 = ?6`,
];
/** Somebody who leaves is signed in once. */
const SESSIONS = [
  `${NUMBERS} INSERT INTO sessions (id, user_id, tenant_id, generation, refresh_token_hash, rotated_at, created_at,
      expires_at, last_activity_at)
    SELECT ${idOf(3)}, ${ACCOUNT}, ?5, 1, ${idOf(4)}, ?6, ?6, ?6 + ${SESSION_MS}, ?6 FROM n
    WHERE ?3 = ?3 AND ?4 = ?4`,
];

/** The id of the record of the person with this number. */
export const seededId = (i: number): string => `00000002-0000-7000-8000-${i.toString(16).padStart(12, "0")}`;

/** Adds members with accounts and active records, `person-0@` and the domain first. */
export const seedPeople = (database: Database, directory: BenchDirectory, count: number): Promise<void> =>
  insert(database, directory, PEOPLE, count);

/** Signs the first of them in. */
export const seedSessions = (database: Database, directory: BenchDirectory, count: number): Promise<void> =>
  insert(database, directory, SESSIONS, count);

async function insert(
  database: Database,
  { connectionId, domain, tenantId }: BenchDirectory,
  statements: readonly string[],
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += ROWS_PER_STATEMENT) {
    for (const statement of statements) {
      const to = Math.min(from + ROWS_PER_STATEMENT, count);
      await database.prepare(statement).bind(from, to, connectionId, domain, tenantId, Date.now()).run();
    }
  }
}
