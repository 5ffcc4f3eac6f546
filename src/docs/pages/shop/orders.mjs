/** The orders of the customers, each published once. */
import { publish } from "./postern.mjs";

/** `db` is a `DatabaseSync` of Node. */
export function ordersIn(db) {
  db.exec(`
    CREATE TABLE IF NOT EXISTS customers (id TEXT PRIMARY KEY, tenant_id TEXT UNIQUE);
    CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer_id TEXT, item TEXT, published INT DEFAULT 0);`);
  const unpublished = db.prepare("SELECT id, customer_id AS customerId, item FROM orders WHERE published = 0");

  return {
    knows: (customerId) => db.prepare("SELECT 1 FROM customers WHERE id = ?").get(customerId) !== undefined,
    addCustomer: (id, tenantId) => db.prepare("INSERT INTO customers VALUES (?, ?)").run(id, tenantId),
    customerOf: (tenantId) => db.prepare("SELECT id FROM customers WHERE tenant_id = ?").get(tenantId)?.id,
    add: (customerId, item) => db.prepare("INSERT INTO orders (customer_id, item) VALUES (?, ?)").run(customerId, item),

    /** Publishes the orders that are not published. After a crash, the key keeps it from doing so twice. */
    async publishNew() {
      for (const { id, customerId, item } of unpublished.all()) {
        await publish(customerId, { type: "OrderPlaced", payload: { id, item } }, `order-${id}`);
        db.prepare("UPDATE orders SET published = 1 WHERE id = ?").run(id);
      }
    },
  };
}
