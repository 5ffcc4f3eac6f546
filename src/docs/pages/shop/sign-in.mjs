/** Sign-in: who somebody is, of which customer, in which role. */
import { createServer } from "node:http";
import { createWebSession, forNode } from "postern/web";

const { POSTERN_URL: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, APP_SECRET: secret } = process.env;
const web = forNode(createWebSession({ issuer, clientId, clientSecret, secret }));

async function answer(request, response) {
  if (await web.handle(request, response)) return;
  const session = await web.require(request, response);
  if (session) response.end(`You are ${session.email}, ${session.role} of ${session.tenant.name}.\n`);
}

createServer((request, response) => {
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  answer(request, response).catch(() => response.writeHead(503).end("Try again in a minute.\n"));
}).listen(process.env.PORT ?? 3000);
