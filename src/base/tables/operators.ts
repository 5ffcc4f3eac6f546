/**
 * Tables of the delivery plane about what operators do: what they have frozen, and which tenants they move. Times are
 * Unix ms.
 */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/**
 * The tenants whose deliveries are frozen. Claims and the sweep read it. The migration creates it WITHOUT ROWID.
 */
export const frozenSends = sqliteTable(
  "sends_held",
  {
    /** "" for all tenants of this database. */
    tenantId: text("tenant_id").notNull(),
    /** A tenant that is frozen and suspended has a row for each. */
    cause: text({ enum: ["held", "suspended"] }).notNull(),
    since: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.cause] })],
);

/**
 * The tenants that are being moved from this database to another one, or were, until nothing of them is left here. What
 * users write goes to the other one. The migration creates it WITHOUT ROWID.
 */
export const departedTenants = sqliteTable("departed_tenants", {
  tenantId: text("tenant_id").primaryKey(),
  since: integer().notNull(),
  /** When it counts no more, by the clock of the database; null: never. */
  lapsesAt: integer("lapses_at"),
});
