import { Hono } from "hono";
import { createWebSession } from "postern/web";

const { POSTERN_URL: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, APP_SECRET: secret } = process.env;
const web = createWebSession({ issuer, clientId, clientSecret, secret });

const app = new Hono();
app.use(async (c, next) => (await web.handle(c.req.raw)) ?? next());
app.use(async (c, next) => {
  const found = await web.require(c.req.raw, { role: ["owner", "admin"] });
  if (found instanceof Response) return found;
  c.set("session", found.session);
  await next();
  for (const line of found.headers.getSetCookie()) c.header("Set-Cookie", line, { append: true });
});
app.get("/", (c) => c.text(`Hello ${c.var.session.email} of ${c.var.session.tenant.name}`));

export default app;
