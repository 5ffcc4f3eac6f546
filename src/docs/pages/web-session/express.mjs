import express from "express";
import { createWebSession, forNode } from "postern/web";

const { POSTERN_URL: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, APP_SECRET: secret } = process.env;
const { APP_URL: origin, PORT = 3000 } = process.env;
const web = forNode(createWebSession({ issuer, clientId, clientSecret, secret, origin }));

const app = express();
app.use(web.handle);
app.get("/", async (request, response) => {
  const session = await web.require(request, response, { role: ["owner", "admin"] });
  if (session) response.type("text").send(`Hello ${session.email} of ${session.tenant.name}`);
});
app.listen(PORT);
