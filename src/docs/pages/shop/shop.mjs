/** A shop with two customers, whose people sign in and whose systems hear of orders. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { handle, sqliteStore } from "postern/receive";
import { APP_URL, addCustomer, CUSTOMERS, PORT, publish, SECRET, SHOP_DB, subscribeToPeople, web } from "./postern.mjs";

const MAY_ORDER = ["owner", "admin", "developer"];
const MINUTE_MS = 60_000;
const MAX_BODY_BYTES = 1_000_000;
const ORDER = '<form method="post" action="/orders"><input name="item"><button>Order</button></form>';
const SIGN_OUT = '<form method="post" action="/auth/sign-out"><button>Sign out</button></form>';

const db = new DatabaseSync(SHOP_DB);

// The shop's own copy of users and members, kept in step by the events of the platform. Deliveries can arrive in any
// order: each row keeps the number of the event that it is of, and takes only later ones. A deleted user keeps a row,
// or an event from before the deletion could bring the user back.

db.exec(`
  CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, email TEXT, name TEXT, sequence INTEGER);
  CREATE TABLE IF NOT EXISTS members (tenant_id TEXT, user_id TEXT, role TEXT, sequence INTEGER,
    PRIMARY KEY (tenant_id, user_id));`);
const SAVE_PERSON = `INSERT INTO people VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET email = excluded.email, name = excluded.name, sequence = excluded.sequence WHERE excluded.sequence > sequence`;
const SAVE_MEMBER = `INSERT INTO members VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
  SET role = excluded.role, sequence = excluded.sequence WHERE excluded.sequence > sequence`;
const store = sqliteStore(db);
await store.migrate();

function savePeople({ type, payload }, tx) {
  const { sequence, user, member } = payload;
  if (type === "user.deleted") tx.run(SAVE_PERSON, payload.id, null, null, sequence);
  else if (user) tx.run(SAVE_PERSON, user.id, user.email, user.name, sequence);
  else if (member) tx.run(SAVE_MEMBER, member.tenantId, member.userId, member.role, sequence);
}

/** The present members of a tenant. A role of null says that somebody is no member any more. */
const membersOf = (tenantId) =>
  db
    .prepare(
      `SELECT p.email, m.role FROM members m JOIN people p ON p.id = m.user_id
        WHERE m.tenant_id = ? AND m.role IS NOT NULL AND p.email IS NOT NULL ORDER BY p.email`,
    )
    .all(tenantId);

// The orders of the customers, each published once.

db.exec(
  "CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, customer_id TEXT, item TEXT, published INT DEFAULT 0)",
);

/** Publishes the orders that are not published. After a crash, the key keeps it from doing so twice. */
async function publishNew() {
  const unpublished = db.prepare("SELECT id, customer_id AS customerId, item FROM orders WHERE published = 0");
  for (const { id, customerId, item } of unpublished.all()) {
    await publish(customerId, { type: "OrderPlaced", payload: { id, item } }, `order-${id}`);
    db.prepare("UPDATE orders SET published = 1 WHERE id = ?").run(id);
  }
}

const ROUTES = {
  "GET /": async (request, response) => {
    const session = await web.session(request, response);
    if (!session) return show(response, 200, "The shop", '<a href="/auth/sign-in">Sign in</a>');
    const { email, role, tenant } = session;
    const people = membersOf(tenant.id).map((member) => `<li>${escapeHtml(`${member.email}: ${member.role}`)}</li>`);
    return show(response, 200, `${email}, ${role} of ${tenant.name}`, `<ul>${people.join("")}</ul>${ORDER}${SIGN_OUT}`);
  },
  "POST /orders": async (request, response) => {
    const session = await web.require(request, response, { role: MAY_ORDER });
    if (!session) return;
    // The shop's own id of the customer. People whom the shop has not added have a tenant of their own.
    const customerId = session.tenant.externalId;
    if (!customerId) return show(response, 403, "You are no customer");
    const form = new URLSearchParams((await bodyOf(request)).toString());
    db.prepare("INSERT INTO orders (customer_id, item) VALUES (?, ?)").run(customerId, form.get("item"));
    await publishNew();
    return show(response, 201, "Thank you");
  },
  "POST /postern": async (request, response) => {
    const delivery = { headers: request.headers, body: await bodyOf(request) };
    const answer = await handle(delivery, { secret: SECRET, store }, savePeople);
    response.writeHead(answer.status).end(await answer.text());
  },
};

async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error("The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function show(response, status, title, html = "") {
  response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Shop</title><h1>${escapeHtml(title)}</h1>${html}`);
}

const server = createServer(async (request, response) => {
  try {
    if (await web.handle(request, response)) return;
    const route = ROUTES[`${request.method} ${new URL(request.url, APP_URL).pathname}`];
    if (route) await route(request, response);
    else show(response, 404, "Not found");
  } catch (error) {
    console.error(error);
    show(response, 500, "Something went wrong");
  }
});

server.listen(Number(PORT), async () => {
  await subscribeToPeople();
  for (const customer of CUSTOMERS) await addCustomer(customer);
  setInterval(() => publishNew().catch(console.error), MINUTE_MS);
  console.log(`The shop is open at ${APP_URL}`);
});
