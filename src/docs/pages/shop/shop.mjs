/** A shop with two customers, whose people sign in and whose systems hear of orders. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { PosternError } from "postern/client";
import { handle, sqliteStore } from "postern/receive";
import { SessionError } from "postern/session";
import { bodyOf, escapeHtml, formOf, MAIL_PAGES, redirect, show } from "./pages.mjs";
import {
  addCustomer,
  CUSTOMERS,
  clientOf,
  PORT,
  publish,
  SHOP_DB,
  SHOP_SECRET,
  SHOP_URL,
  signedIn,
  subscribeToPeople,
} from "./postern.mjs";

const MAY_ORDER = ["owner", "admin", "developer"];
const MINUTE_MS = 60_000;
const SIGN_IN = `<form method="post" action="/sign-in"><input name="email" type="email"><input name="password"
  type="password"><input name="totp" placeholder="Code, if you use an app"><button>Sign in</button></form>`;
const ORDER = '<form method="post" action="/orders"><input name="item"><button>Order</button></form>';

// The shop's own copy of users and members, kept in step by the events of the platform.

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
async function peopleReceiver(db) {
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
const membersOf = (db, tenantId) =>
  db
    .prepare(
      `SELECT p.email, m.role FROM members m JOIN people p ON p.id = m.user_id
        WHERE m.tenant_id = ? AND m.role IS NOT NULL AND p.email IS NOT NULL ORDER BY p.email`,
    )
    .all(tenantId);

// The orders of the customers, each published once.

/** `db` is a `DatabaseSync` of Node. */
function ordersIn(db) {
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

const db = new DatabaseSync(SHOP_DB);
const orders = ordersIn(db);
const receivePeople = await peopleReceiver(db);

const ROUTES = {
  "GET /": async (request, response) => {
    const who = await signedIn(request, response);
    if (!who) return show(response, 200, "Sign in", SIGN_IN);
    const people = membersOf(db, who.tenantId).map(({ email, role }) => `<li>${escapeHtml(email)}: ${role}</li>`);
    return show(response, 200, `You are ${who.role}`, `<ul>${people.join("")}</ul>${ORDER}`);
  },
  "POST /sign-in": async (request, response) => {
    const { email, password, totp } = await formOf(request);
    await clientOf(request, response).auth.login({ email, password, ...(totp ? { totp } : {}) });
    redirect(response, "/");
  },
  "POST /sign-out": async (request, response) => {
    await clientOf(request, response).auth.logout();
    redirect(response, "/");
  },
  "POST /orders": async (request, response) => {
    const who = await signedIn(request, response);
    if (!who) return show(response, 401, "Sign in", SIGN_IN);
    const customerId = orders.customerOf(who.tenantId);
    if (!customerId || !MAY_ORDER.includes(who.role)) return show(response, 403, "You may not order");
    const { item = "" } = await formOf(request);
    orders.add(customerId, item);
    await orders.publishNew();
    return show(response, 201, "Thank you");
  },
  "POST /postern": async (request, response) => {
    const answer = await receivePeople({ headers: request.headers, body: await bodyOf(request) });
    response.writeHead(answer.status).end(await answer.text());
  },
  ...Object.fromEntries(Object.entries(MAIL_PAGES).flatMap(([path, page]) => routesOf(path, page))),
};

function routesOf(path, { title, fields = [], send }) {
  const get = (request, response) => {
    const token = new URL(request.url, SHOP_URL).searchParams.get("token") ?? "";
    const hidden = `<input type="hidden" name="token" value="${escapeHtml(token)}">`;
    const inputs = fields.map(({ name, type, label }) => `${label} <input name="${name}" type="${type}">`).join("");
    show(
      response,
      200,
      title,
      `<form method="post" action="${path}">${hidden}${inputs}<button>${title}</button></form>`,
    );
  };
  const post = async (request, response) => {
    const message = await send(clientOf(request, response), await formOf(request));
    show(response, 200, message ?? "Welcome");
  };
  return [
    [`GET ${path}`, get],
    [`POST ${path}`, post],
  ];
}

const server = createServer(async (request, response) => {
  const route = ROUTES[`${request.method} ${new URL(request.url, SHOP_URL).pathname}`];
  try {
    if (route) await route(request, response);
    else show(response, 404, "Not found");
  } catch (error) {
    const isOfPostern = error instanceof PosternError || error instanceof SessionError;
    const isRefusal = isOfPostern && error.status >= 400 && error.status < 500;
    if (!isRefusal) console.error(error);
    show(response, isRefusal ? error.status : 500, isRefusal ? error.message : "Something went wrong");
  }
});

server.listen(Number(PORT), async () => {
  await subscribeToPeople(`${SHOP_URL}/postern`, SHOP_SECRET);
  for (const { id, name, email } of CUSTOMERS) {
    if (!orders.knows(id)) orders.addCustomer(id, await addCustomer({ id, name, email }));
  }
  setInterval(() => orders.publishNew().catch(console.error), MINUTE_MS);
  console.log(`The shop is open at ${SHOP_URL}`);
});
