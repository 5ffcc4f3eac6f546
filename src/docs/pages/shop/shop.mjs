/** A shop with two customers, whose people sign in and whose systems hear of orders. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { PosternError } from "postern/client";
import { SessionError } from "postern/session";
import { bodyOf, escapeHtml, formOf, redirect, show } from "./html.mjs";
import { MAIL_PAGES } from "./mail-pages.mjs";
import { ordersIn } from "./orders.mjs";
import { membersOf, peopleReceiver } from "./people.mjs";
import { addCustomer, subscribeToPeople } from "./postern.mjs";
import { clientOf, signedIn } from "./session.mjs";
import { CUSTOMERS, PORT, SHOP_DB, SHOP_SECRET, SHOP_URL } from "./settings.mjs";

const MAY_ORDER = ["owner", "admin", "developer"];
const MINUTE_MS = 60_000;
const SIGN_IN = `<form method="post" action="/sign-in"><input name="email" type="email"><input name="password"
  type="password"><input name="totp" placeholder="Code, if you use an app"><button>Sign in</button></form>`;
const ORDER = '<form method="post" action="/orders"><input name="item"><button>Order</button></form>';

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
