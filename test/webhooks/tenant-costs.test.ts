/** What a publish with its delivery costs by how often its tenant publishes, and that performance.md says so. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reserve } from "../../src/base/budgets/reserve";
import { createDeps } from "../../src/base/deps";
import { DAY_MS, HOUR_MS } from "../../src/base/time";
import { EVENTS_COUNTED_AT_ONCE } from "../../src/service/usage/count";
import { JOBS } from "../../src/upkeep";
import { costAndMessagesOf, costOfBatch, costOfRetention } from "../support/cost";
import { A_MILLION, monthsBill, priceOfMillion, ROWS_OF_ASK, useOf } from "../support/prices";
import { type Publisher, publisher } from "../support/publishers";
import { newInbox, subscribe } from "../support/receiver";

const { "../../src/docs/pages/performance.md": performance = "" } = import.meta.glob(
  "../../src/docs/pages/performance.md",
  { query: "?raw", import: "default", eager: true },
);

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 1, 12) }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Publishes by the key, and delivers in a batch of its own. Returns the rows written and the log lines. */
async function publishAndDeliver({ key }: Publisher) {
  const lines = (["log", "warn", "error"] as const).map((level) => vi.spyOn(console, level));
  const publishing = { token: key, body: { type: "OrderPaid", payload: 1 } };
  const { status, rowsWritten, messages } = await costAndMessagesOf("POST", "/events", publishing);
  expect([status, messages.length]).toEqual([202, 1]);
  const delivered = await costOfBatch(messages);
  const written = lines.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  vi.restoreAllMocks();
  return { rows: rowsWritten + delivered.rowsWritten, lines: written };
}

/** The rows of an event that comes so long after the one before, its removal included. */
async function rowsOfOneMore(apartMs: number): Promise<number> {
  const owner = await publisher(1);
  await subscribe(owner, newInbox("200").url);
  // The first event of a tenant costs a row that no other one does.
  await publishAndDeliver(owner);
  await costOfRetention();
  const after = async (events: number) => {
    let rows = 0;
    for (let event = 0; event < events; event += 1) {
      vi.setSystemTime(Date.now() + apartMs);
      const made = await publishAndDeliver(owner);
      // The request's line and the attempt's.
      expect(made.lines).toBe(2);
      rows += made.rows;
    }
    return rows + (await costOfRetention()).rowsWritten;
  };
  const [one, two] = [await after(1), await after(2)];
  return two - one;
}

/** How often the limiter is asked for an event, by a tenant that publishes every `everyMs` to one isolate. */
async function asksOfEvent(everyMs: number): Promise<number> {
  let asks = 0;
  const { RATE_LIMITER } = env;
  const namespace = {
    idFromName: (name: string) => RATE_LIMITER.idFromName(name),
    get: (id: DurableObjectId) => {
      asks += 1;
      return RATE_LIMITER.get(id);
    },
  } as unknown as typeof RATE_LIMITER;
  const context = createExecutionContext();
  const tenant = { tenantId: crypto.randomUUID(), hasVerifiedOwner: true };
  const events = Math.min(480, (5 * 60_000) / everyMs);
  for (let event = 0; event < events; event += 1) {
    vi.setSystemTime(Date.now() + everyMs);
    const deps = await createDeps({ ...env, RATE_LIMITER: namespace }, context);
    await reserve(deps, tenant, { events: 1, bytes: 300, deliveries: 1 });
  }
  return asks / events;
}

const PROFILES = [
  { name: "one tenant, 4 a second", tenants: 1, everyMs: 250, millions: 10.4 },
  { name: "50 tenants, every 12 s", tenants: 50, everyMs: 12_000, millions: 10.8 },
  { name: "250 tenants, every minute", tenants: 250, everyMs: 60_000, millions: 10.8 },
  { name: "10,000 tenants, every hour", tenants: 10_000, everyMs: HOUR_MS, millions: 7.2 },
];
const USAGE_COUNTED_EVERY_MS = (JOBS.countUsage?.everyHours ?? 1) * HOUR_MS;

/** The rows of the month that an event costs: each write has one of every tenant. */
function usageRowsOf({ tenants, everyMs }: { tenants: number; everyMs: number }): number {
  const events = (tenants * USAGE_COUNTED_EVERY_MS) / everyMs;
  return (Math.ceil(events / EVENTS_COUNTED_AT_ONCE) * tenants) / events;
}

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

test("performance.md has what each profile costs, and a lone publish with its delivery costs at most $12 a million", async () => {
  const [plain, hourly, daily] = [await rowsOfOneMore(1), await rowsOfOneMore(HOUR_MS), await rowsOfOneMore(DAY_MS)];
  const rows = [];
  for (const profile of PROFILES) {
    const { name, everyMs, millions } = profile;
    // The events of an hour share its row in the counts, and those of a day the time of the key's last use and the note
    // of the day.
    const shared = ((hourly - plain) * everyMs) / HOUR_MS + ((daily - hourly) * everyMs) / DAY_MS;
    const written = plain + shared + usageRowsOf(profile);
    const asks = everyMs >= 60_000 ? 0 : await asksOfEvent(everyMs);
    const use = useOf(written, asks);
    rows.push({ name, written, asks, price: priceOfMillion(use), bill: monthsBill(use, millions) });
  }
  for (const { name, written, asks, price, bill } of rows) {
    const [costs = "", month = ""] = performance.split("\n").filter((text) => text.startsWith(`| ${name} `));
    const [, , d1, , , objects, , , total] = costs.split("|").map((cell) => cell.trim());
    const inObjects = asks * (A_MILLION.objectRequests + ROWS_OF_ASK * A_MILLION.objectRows);
    expect([d1, objects]).toEqual([dollars(written), asks === 0 ? "–" : dollars(inObjects)]);
    expect(total).toBe(`**${dollars(price)}**`);
    expect(month).toContain(`**$${Math.round(bill)}**`);
  }
  expect(await asksOfEvent(60_000)).toBe(0);
  for (const { price } of rows) expect(price).toBeLessThanOrEqual(12);
});
