/** A directory with thousands of people, by SQL: by requests they would take minutes. */
import { env } from "cloudflare:workers";
import type { Directory } from "./scim";

const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)";

/** The ids of the nth person's account and record. */
const [ACCOUNT, RECORD] = ["1", "2"].map((kind) => `printf('0000000${kind}-0000-7000-8000-%012x', i)`);
export const seededId = (i: number): string => `00000002-0000-7000-8000-${i.toString(16).padStart(12, "0")}`;

/**
 * Adds members with accounts and active records, as the directory would: person 1 has the user name `person-1@` and the
 * connection's domain, the externalId `ext-1`, and a second address, `second-1@home.example`.
 */
export async function seedPeople({ connection }: Pick<Directory, "connection">, count: number): Promise<void> {
  const address = "'person-' || i || '@' || ?2";
  const person = env.DB.prepare(`${NUMBERS} INSERT INTO users (id, email, name, password_hash, email_verified_at,
      email_verified_by, created_at)
    SELECT ${ACCOUNT}, ${address}, 'Grace Hopper', '', 1, 'connection', 1 FROM n`);
  const member = env.DB.prepare(`${NUMBERS} INSERT INTO memberships (tenant_id, user_id, role, created_at,
      connection_id, role_by)
    SELECT ?2, ${ACCOUNT}, 'member', 1, ?3, 'directory' FROM n`);
  const record = env.DB.prepare(`${NUMBERS} INSERT INTO directory_users (connection_id, id, name_key, external_id,
      email, user_id, is_maker, state, state_at, record, other_email, version, write_id, created_at, updated_at)
    SELECT ?3, ${RECORD}, ${address}, 'ext-' || i, ${address}, ${ACCOUNT}, 1, 'active', 1,
      json_object('externalId', 'ext-' || i, 'userName', ${address}, 'active', json('true'), 'name',
        json_object('givenName', 'Grace', 'familyName', 'Hopper'), 'emails', json_array(
          json_object('value', ${address}, 'type', 'work'),
          json_object('value', 'second-' || i || '@home.example', 'type', 'home'))),
      'second-' || i || '@home.example', 1, '', 1, i FROM n`);
  const { id, tenantId, domain } = connection;
  await env.DB.batch([person.bind(count, domain), member.bind(count, tenantId, id), record.bind(count, domain, id)]);
}
