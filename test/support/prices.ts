/** What Cloudflare asks on the Workers paid plan, in dollars; the pages are named in performance.md. */

/** What a million of each cost beyond what the plan includes. */
export const A_MILLION = {
  rowsWritten: 1,
  rowsRead: 0.001,
  queueOperations: 0.4,
  requests: 0.3,
  cpuMs: 0.02,
  /** $0.25 a GB, and $0.10 a GB and month for the seven days that lines are kept. */
  logKb: 0.25 + (0.1 * 7) / 30,
  objectRequests: 0.15,
  objectRows: 1,
};
type Use = Record<keyof typeof A_MILLION, number>;

/** What the plan includes a month, in millions. */
const INCLUDED: Use = {
  ...{ rowsWritten: 50, rowsRead: 25_000, queueOperations: 1, requests: 10, cpuMs: 30, logKb: 50 },
  ...{ objectRequests: 1, objectRows: 50 },
};
const PLAN = 5;
const GB_MONTH = { price: 0.75, included: 5 };

/** Taken from local measurements, because nothing in a test counts them as the platform does. */
const ROWS_READ_OF_DELIVERY = 130;
const CPU_MS_OF_DELIVERY = 5;
const BYTES_OF_DELIVERY = 655;

/** Two lines of ours of 0.5 KB. Those of Cloudflare, one for each invocation, are off in `wrangler.toml`. */
const LOG_KB_OF_DELIVERY = 1;

/** An ask of a limiter: the row of the window, its removal, and a share of the table and of the alarms. */
export const ROWS_OF_ASK = 4;

/** What an event with one delivery uses. `asks`: calls of the limiter. */
export const useOf = (rowsWritten: number, asks: number): Use => ({
  ...{ rowsWritten, rowsRead: ROWS_READ_OF_DELIVERY, queueOperations: 3, requests: 2, cpuMs: CPU_MS_OF_DELIVERY },
  ...{ logKb: LOG_KB_OF_DELIVERY, objectRequests: asks, objectRows: ROWS_OF_ASK * asks },
});

const sum = (use: Use, priced: (name: keyof Use) => number) =>
  (Object.keys(use) as (keyof Use)[]).reduce((total, name) => total + priced(name), 0);

/** What a million of them cost, where the plan includes nothing any more. */
export const priceOfMillion = (use: Use): number => sum(use, (name) => use[name] * A_MILLION[name]);

/** What a month with so many millions of them costs. They are kept for 30 days. */
export function monthsBill(use: Use, millions: number): number {
  const gb = (BYTES_OF_DELIVERY * millions) / 1_000;
  const beyond = (name: keyof Use) => Math.max(0, use[name] * millions - INCLUDED[name]) * A_MILLION[name];
  return PLAN + sum(use, beyond) + Math.max(0, gb - GB_MONTH.included) * GB_MONTH.price;
}
