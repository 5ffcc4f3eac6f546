/** One route for each floor: what the runtime needs for one thing and nothing else. */
import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { hashPassword } from "../../src/base/crypto/passwords";

const ROWS_PER_BATCH = 100;
/** Limit of one `sendBatch`. */
const MESSAGES_PER_BATCH = 100;

export class Counter extends DurableObject {
  ping() {
    return 1;
  }
}

const select = (c) => c.env.DB.prepare("SELECT id, v FROM floor WHERE id = ?").bind("key").all();
const insert = (c) => c.env.DB.prepare("INSERT INTO floor (id, v) VALUES (?, ?)").bind(crypto.randomUUID(), "v");
const ok = (c) => c.json({ ok: true });

const app = new Hono()
  .get("/json", ok)
  .get("/select", async (c) => c.json((await select(c)).results[0]))
  .get("/two-selects", async (c) => {
    await select(c);
    return c.json((await select(c)).results[0]);
  })
  .get("/insert", async (c) => {
    await insert(c).run();
    return ok(c);
  })
  .get("/batch", async (c) => {
    await c.env.DB.batch(Array.from({ length: ROWS_PER_BATCH }, () => insert(c)));
    return ok(c);
  })
  .get("/argon2id", async (c) => c.json({ hash: await hashPassword("correct horse battery") }))
  .get("/durable-object", async (c) => {
    await c.env.COUNTER.get(c.env.COUNTER.idFromName("one")).ping();
    return ok(c);
  })
  /** `{ urls, body }`: the same body to each URL, through the queue. */
  .post("/queue", async (c) => {
    const { urls, body } = await c.req.json();
    for (let start = 0; start < urls.length; start += MESSAGES_PER_BATCH) {
      const page = urls.slice(start, start + MESSAGES_PER_BATCH);
      await c.env.QUEUE.sendBatch(page.map((url) => ({ body: { url, body } })));
    }
    return c.json({ ok: true }, 202);
  });

async function post(message) {
  const { url, body } = message.body;
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  message.ack();
}

export default {
  fetch: app.fetch,
  async queue(batch) {
    await Promise.all(batch.messages.map(post));
  },
};
