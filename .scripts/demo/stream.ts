/** Publishes events at a slow pace with an API key, and prints each attempt to deliver them. */
import type { Service } from "./service.ts";

const INTERVAL_MS = 2_000;
/** The types to publish, in a cycle. The rare ones go to the subscribers that fail. */
const TYPES = [
  "OrderShipped",
  "OrderPlaced",
  "OrderPaid",
  "OrderPlaced",
  "OrderPaid",
  "CustomerJoined",
  "OrderPlaced",
  "OrderPaid",
  "OrderShipped",
  "InvoiceOverdue",
] as const;

/** Publishes one event every two seconds until `signal` aborts. */
export function publishSteadily(service: Service, apiKey: string, signal: AbortSignal): void {
  let number = 0;
  const publish = () => {
    const type = TYPES[number % TYPES.length];
    number += 1;
    const event = { type, payload: { number, at: new Date().toISOString() }, correlationId: `demo-${number}` };
    service.call("POST", "/events", event, apiKey).catch((error: Error) => {
      if (!signal.aborted) console.error(error.message);
    });
  };
  publish();
  const timer = setInterval(publish, INTERVAL_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Prints a line for each attempt. `names` holds the subscriptions' names by id. */
export function printAttempts(service: Service, names: ReadonlyMap<string, string>): void {
  service.onLine((line) => {
    const start = line.indexOf('{"level"');
    if (start < 0 || !line.includes('"message":"attempt"')) return;
    const { webhookId, correlationId, attempt, outcome, reason, ms } = JSON.parse(
      line.slice(start, line.lastIndexOf("}") + 1),
    );
    const name = names.get(webhookId) ?? "unknown";
    const time = new Date().toTimeString().slice(0, 8);
    console.log(
      `${time}  ${String(correlationId ?? "test").padEnd(9)} -> ${name.padEnd(8)} attempt ${attempt}  ${outcome}${reason ? ` (${reason})` : ""}, ${ms ?? 0} ms`,
    );
  });
}
