/** The shop's own copy of users and members, kept in step by the events of the platform. */
import { handle, sqliteStore } from "postern/receive";
import { SHOP_SECRET } from "./settings.mjs";

const TABLES = `
  CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, email TEXT, name TEXT, sequence INTEGER);
  CREATE TABLE IF NOT EXISTS members (tenant_id TEXT, user_id TEXT, role TEXT, sequence INTEGER,
    PRIMARY KEY (tenant_id, user_id));`;

// Deliveries can arrive in any order: each row keeps the number of the event that it is of, and takes only later ones.
// A deleted user keeps a row, or an event from before the deletion could bring the user back.
const SAVE_PERSON = `INSERT INTO people VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET email = excluded.email, name = excluded.name, sequence = excluded.sequence WHERE excluded.sequence > sequence`;
const SAVE_MEMBER = `INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET role = excluded.role, sequence = excluded.sequence WHERE excluded.sequence > sequence`;

/** Returns a function that answers deliveries (`{ headers, body }`) of the platform's events. */
export async function peopleReceiver(db) {
  db.exec(TABLES);
  const store = sqliteStore(db);
  await store.migrate();
  return (delivery) => handle(delivery, { secret: SHOP_SECRET, store }, apply);
}

function apply({ type, payload }, tx) {
  const { sequence, user, member } = payload;
  if (type === "user.deleted") tx.run(SAVE_PERSON, payload.id, null, null, sequence);
  else if (user) tx.run(SAVE_PERSON, user.id, user.email, user.name, sequence);
  else if (member) tx.run(SAVE_MEMBER, member.tenantId, member.userId, member.role, sequence);
}

/** The present members of a tenant. A role of null says that somebody is no member any more. */
export const membersOf = (db, tenantId) =>
  db
    .prepare(
      `SELECT p.email, m.role FROM members m JOIN people p ON p.id = m.user_id
        WHERE m.tenant_id = ? AND m.role IS NOT NULL AND p.email IS NOT NULL ORDER BY p.email`,
    )
    .all(tenantId);
