/** What a customer of the shop runs: it takes each delivery once, and only if the shop's Postern has signed it. */
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { handle, sqliteStore } from "postern/receive";

const db = new DatabaseSync(process.env.CUSTOMER_DB ?? "customer.db");
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER, item TEXT)");
const store = sqliteStore(db);
await store.migrate();

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const delivery = { headers: request.headers, body: Buffer.concat(chunks) };
  const answer = await handle(delivery, { secret: process.env.SECRET ?? "", store }, ({ payload }, tx) => {
    tx.run("INSERT INTO orders VALUES (?, ?)", payload.id, payload.item);
  });
  const text = await answer.text();
  response.writeHead(answer.status).end(text);
  console.log(text, ...db.prepare("SELECT id, item FROM orders").all().map(Object.values));
}).listen(Number(process.env.PORT ?? 4000));
