/** Reading the people and tenants that rows of an import meet, across tenants. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, jsonList, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { countedMembers } from "../../tenancy/tenants/room-store";
import { idOfTenant } from "../../tenancy/tenants/store";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import type { Person, Row } from "./person";
import { type ImportTenant, World } from "./world";

const HAS_SIGNED_IN = sql`(EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id)
  OR EXISTS (SELECT 1 FROM memberships s WHERE s.user_id = u.id AND s.last_used_at > 0)
  OR EXISTS (SELECT 1 FROM known_devices s WHERE s.user_id = u.id)
  OR EXISTS (SELECT 1 FROM identities s WHERE s.user_id = u.id AND s.last_used_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM passkeys s WHERE s.user_id = u.id AND s.last_used_at IS NOT NULL))`;

/** In the order of keys, so that the same people always give the same text. */
const PERSON = sql`json_object('id', u.id, 'email', u.email, 'externalId', u.external_id, 'name', u.name,
  'isVerified', json(iif(u.email_verified_at IS NULL, 'false', 'true')),
  'password', iif(u.password_hash = '' OR u.password_kind IS NOT NULL, u.password_hash, 'own'),
  'isUsed', json(iif(${HAS_SIGNED_IN}, 'true', 'false')),
  'hasTotp', json(iif(u.totp_enabled_at IS NULL, 'false', 'true')),
  'identities', (SELECT json_group_array(i.name) FROM (SELECT issuer || ' ' || sub AS name FROM identities
    WHERE user_id = u.id ORDER BY issuer, sub) i),
  'passkeys', (SELECT json_group_array(p.id) FROM (SELECT id FROM passkeys WHERE user_id = u.id ORDER BY id) p),
  'memberships', (SELECT json_group_object(m.tenant_id, m.role) FROM (SELECT tenant_id, role FROM memberships
    WHERE user_id = u.id AND tenant_id IN (SELECT id FROM named) ORDER BY tenant_id) m),
  'ownTenants', (SELECT json_group_array(o.id) FROM (SELECT t.id FROM memberships m JOIN tenants t ON t.id = m.tenant_id
    WHERE m.user_id = u.id AND t.created_by = u.id ORDER BY t.id) o))`;

/** A SELECT of one JSON text: all that decides about these rows. The same text means that nothing has changed. */
export function stateFor({ config }: Deps, wanted: readonly Row[], nowMs: number): SQL {
  const emails = jsonList(wanted.map(({ email }) => email));
  const externalIds = jsonList(wanted.flatMap(({ externalId }) => externalId ?? []));
  const identities = jsonList(
    wanted.flatMap((row) => row.identities.map(({ issuer, subject }) => [issuer, subject] as const)),
  );
  const passkeys = jsonList(wanted.flatMap((row) => row.passkeys.map(({ id }) => id)));
  const refs = [...new Set(wanted.flatMap((row) => row.memberships.map(({ tenant }) => tenant)))];
  const tenants = jsonList(refs.map((ref) => ({ ref, ...parseTenantName(ref) })));
  const named = { id: sql`(j.value ->> 'id')`, externalId: sql`(j.value ->> 'externalId')` };
  return sql`WITH named AS MATERIALIZED (SELECT j.value ->> 'ref' AS ref, t.id FROM json_each(${tenants}) j
      CROSS JOIN tenants t ON t.id = ${idOfTenant(named)} AND t.id <> ${PLATFORM_TENANT}),
    met AS (SELECT u.id FROM json_each(${emails}) j CROSS JOIN users u ON u.email = j.value
      UNION SELECT u.id FROM json_each(${externalIds}) j CROSS JOIN users u ON u.external_id = j.value
      UNION SELECT i.user_id FROM json_each(${identities}) j
        CROSS JOIN identities i ON i.issuer = j.value ->> 0 AND i.sub = j.value ->> 1
      UNION SELECT p.user_id FROM json_each(${passkeys}) j CROSS JOIN passkeys p ON p.id = j.value)
    SELECT json_object('people', (SELECT json_group_array(json(x.person)) FROM (SELECT ${PERSON} AS person
        FROM (SELECT id FROM met ORDER BY id) m CROSS JOIN users u ON u.id = m.id) x),
      'tenants', (SELECT json_group_array(json_array(named.ref, named.id, max(0, ${config.caps.members}
        - ${countedMembers(sql`named.id`)}))) FROM named),
      'reserved', (SELECT json_group_array(json_object('email', f.email, 'userId', f.subject_id))
        FROM json_each(${emails}) j CROSS JOIN email_tokens f ON f.email = j.value
        WHERE f.purpose = 'undo' AND f.used_at IS NULL AND f.expires_at > ${nowMs})) AS state`;
}

/** Reads the state for these rows. */
export async function readState({ db }: Deps, state: SQL): Promise<string> {
  const { found } = await atomically(db, { found: rows<{ state: string }>(state) });
  if (!found[0]) throw new Error("the state of an import has no row");
  return found[0].state;
}

/** The world that a state describes. */
export function worldOf(state: string): World {
  const { people, tenants, reserved } = JSON.parse(state) as {
    people: Person[];
    tenants: [ref: string, id: string, room: number][];
    reserved: { email: string; userId: string }[];
  };
  const byId = new Map<string, ImportTenant>(tenants.map(([, id, room]) => [id, { id, room }]));
  const byRef = tenants.flatMap(([ref, id]) => {
    const tenant = byId.get(id);
    return tenant ? [[ref, tenant] as const] : [];
  });
  return new World(people, new Map(byRef), reserved);
}
