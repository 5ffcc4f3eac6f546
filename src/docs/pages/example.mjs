/**
 * From registration to a verified delivery. Start `npm run dev` in another terminal, then run `npm run build && node
 * src/docs/pages/example.mjs`.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline/promises";
import { createClient } from "postern/client";
import { verifyDelivery } from "postern/verify";

const client = createClient({ baseUrl: process.env.POSTERN_URL ?? "http://localhost:8787" });
const email = `you-${Date.now()}@example.com`;
const password = "correct horse battery";
const secret = crypto.randomUUID();

// 1. Register. The terminal of `npm run dev` prints the email.
await client.auth.register({ email, password });

// 2. Verify the address with the token in that email.
const terminal = createInterface({ input: process.stdin, output: process.stdout });
const path = await terminal.question("Path of the email's text (.txt), as npm run dev printed it: ");
terminal.close();
const [token] = readFileSync(path.trim(), "utf8").match(/[0-9a-f]{64}/);
console.log(await client.auth.verifyEmail(token));

// 3. Log in. The client keeps the tokens.
await client.auth.login({ email, password });

// 4. Subscribe a receiver that verifies its deliveries.
const receiver = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const delivery = await verifyDelivery({ headers: request.headers, body: Buffer.concat(chunks) }, secret);
    response.end("ok");
    receiver.emit("delivery", delivery);
  } catch (error) {
    response.writeHead(400).end(error.reason);
  }
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${receiver.address().port}/`;
await client.webhooks.create({ name: "example", url, events: ["OrderPaid"], secret });

// 5. Publish an event and wait for the delivery.
const arrival = once(receiver, "delivery");
await client.events.publish({ type: "OrderPaid", payload: { order: 42 } });
const [delivery] = await arrival;
console.log("Received and verified:", delivery.type, delivery.id, delivery.payload);

// 6. Refresh. The client also does this by itself when a call meets an expired access token.
await client.auth.refresh();
console.log("Refreshed, still logged in as", (await client.auth.me()).email);

await client.auth.logout();
receiver.close();
