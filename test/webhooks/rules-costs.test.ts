/** Event types, wildcards and filters cost a tenant that uses none of them nothing: its statements do not name them. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import worker from "../../src";
import { call, type Person, signUpVerified } from "../support/client";
import { pass } from "../support/failing";
import { newInbox, subscribe } from "../support/receiver";

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
