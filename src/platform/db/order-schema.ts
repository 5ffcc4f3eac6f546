/** The numbers of events that are published with an `orderKey`, in each delivery database. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The greatest number of a tenant's key. */
export const orderSequences = sqliteTable(
  "order_sequences",
  {
    tenantId: text("tenant_id").notNull(),
    key: text().notNull(),
    last: integer().notNull(),
    /** When an event was last numbered, Unix ms. */
    usedAt: integer("used_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.key] })],
);
