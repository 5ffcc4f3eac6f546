/**
 * Event types, wildcards and filters cost a tenant that uses none of them nothing: its statements do not name them.
 * What filters cost grows with the events, the deliveries and the subscriptions, not with their products.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import worker from "../../src";
import { call, type Person, signUpVerified } from "../support/client";
import { pass } from "../support/failing";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

/** What belongs to the features. The query for who calls may name the revisions, in rows that it reads in any case. */
const RULES = /\b(publish_rules|event_types|event_type_versions|filters?|filtered|filter_since|catalogs)\b/;

// Otherwise one of the requests that are compared could read again what an isolate keeps for a minute. The clock never
// goes back, because what is newer than a row counts where the row is read.
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterAll(() => void vi.useRealTimers());

interface Recorded {
  texts: string[];
  rowsRead: number;
  rowsWritten: number;
}

/** A database whose statements and rows are written down. */
function recordInto(recorded: Recorded, database: D1Database): D1Database {
  const add = ({ meta }: D1Result) => {
    recorded.rowsRead += meta.rows_read;
    recorded.rowsWritten += meta.rows_written;
  };
  return {
    prepare: (query: string) => {
      recorded.texts.push(query);
      return database.prepare(query);
    },
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await database.batch(statements);
      for (const result of results) add(result);
      return results;
    },
  } as unknown as D1Database;
}

/** Publishes, at a time of its own, and waits for what that has started. */
async function publishing({ token }: Person, path: string, body: object): Promise<Recorded> {
  pass(1_000);
  const recorded: Recorded = { texts: [], rowsRead: 0, rowsWritten: 0 };
  const bindings = { ...env, DB: recordInto(recorded, env.DB), SHARD_1: recordInto(recorded, env.SHARD_1) };
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, init);
  const context = createExecutionContext();
  const response = await worker.fetch(request, bindings, context);
  if (response.status !== 202) throw new Error(`publishing answered ${response.status}`);
  await response.text();
  await waitOnExecutionContext(context);
  return recorded;
}

const PUBLISHES: [string, object][] = [
  ["/events", { type: "OrderPaid", payload: { total: 1 } }],
  ["/events/batch", { events: [1, 2].map((total) => ({ type: "OrderPaid", payload: { total }, orderKey: "o" })) }],
];

const newTenant = async () => {
  const person = await signUpVerified();
  await subscribe(person, newInbox("200").url);
  return person;
};

test.each(PUBLISHES)(
  "POST %s of a tenant without rules names none of them, whatever others use",
  async (path, body) => {
    const [before, after, user] = [await newTenant(), await newTenant(), await newTenant()];
    const first = await publishing(before, path, body);
    await call("POST", "/event-types", { token: user.token, body: { name: "OrderPaid" } });
    await subscribe(user, newInbox("200").url, { events: ["order.*"], delivery: { filter: { payload: 1 } } });
    const used = await publishing(user, path, body);
    const second = await publishing(after, path, body);
    expect(second).toEqual(first);
    expect(first.texts.filter((text) => RULES.test(text))).toEqual([]);
    // The same publish of the tenant with rules is what the check would find.
    expect(used.texts.some((text) => RULES.test(text))).toBe(true);
  },
);

/** Subscriptions to all types. The one with the number n gets events whose payload has this number, or none. */
async function filtering(count: number, letsThrough: "one" | "none"): Promise<Person> {
  const person = await signUpVerified();
  const id = await subscribe(person, newInbox("200").url, { events: ["*"] });
  // A type makes the tenant one with rules.
  await call("POST", "/event-types", { token: person.token, body: { name: "Else" } });
  const columns = await deliveryDb
    .prepare("SELECT name FROM pragma_table_info('subscriptions')")
    .all<{ name: string }>();
  const names = columns.results.map(({ name }) => name);
  const values = names.map((name) => ({ id: "?1", filter: "?2" })[name] ?? name);
  const ids = Array.from({ length: count }, () => crypto.randomUUID());
  const copies = ids.flatMap((copy, n) => [
    deliveryDb
      .prepare(`INSERT INTO subscriptions (${names}) SELECT ${values} FROM subscriptions WHERE id = ?3`)
      .bind(copy, JSON.stringify({ payload: letsThrough === "one" ? n : -1 }), id),
    deliveryDb.prepare("INSERT INTO subscription_events VALUES (?, '*', ?)").bind(person.tenantId, copy),
  ]);
  if (copies.length > 0) await deliveryDb.batch(copies);
  await call("POST", `/webhooks/${id}/pause`, { token: person.token });
  return person;
}

test.each(["one", "none"] as const)(
  "the rows that filters read are linear in events, deliveries and subscriptions (each event goes to %s)",
  async (letsThrough) => {
    const above: string[] = [];
    for (const filters of [0, 10, 100]) {
      const person = await filtering(filters, letsThrough);
      for (const count of [1, 10, 100]) {
        const events = Array.from({ length: count }, (_, n) => ({ type: "OrderPaid", payload: n }));
        await publishing(person, "/events/batch", { events });
        const { rowsRead } = await publishing(person, "/events/batch", { events });
        const deliveries = letsThrough === "one" ? Math.min(filters, count) : 0;
        const most = 100 + 16 * count + 12 * deliveries + 8 * filters;
        const read = `${filters} filters, ${count} events, ${deliveries} deliveries: ${rowsRead} of ${most}`;
        if (rowsRead > most) above.push(read);
      }
    }
    expect(above).toEqual([]);
  },
);
