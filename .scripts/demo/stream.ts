/** A gentle stream of events through an API key, and each attempt to deliver them as a line to read. */
import type { Service } from "./service.ts";

const EVERY_MS = 2_000;
/** A day in a shop, again and again: the subscribers that make trouble are for the rare types. */
const DAY = [
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

/** Publishes one event every two seconds until `signal`. */
export function publishGently(service: Service, apiKey: string, signal: AbortSignal): void {
  let number = 0;
  const publish = () => {
    const type = DAY[number % DAY.length];
    number += 1;
    const event = { type, payload: { number, at: new Date().toISOString() }, correlationId: `demo-${number}` };
    service.call("POST", "/events", event, apiKey).catch((error: Error) => {
      if (!signal.aborted) console.error(error.message);
    });
  };
  publish();
  const timer = setInterval(publish, EVERY_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** Prints a line for each attempt; `names` by subscription id. */
export function printAttempts(service: Service, names: ReadonlyMap<string, string>): void {
  service.onLine((line) => {
    const start = line.indexOf('{"level"');
    if (start < 0 || !line.includes('"message":"attempt"')) return;
    const { webhookId, correlationId, attempt, outcome, reason, ms } = JSON.parse(
      line.slice(start, line.lastIndexOf("}") + 1),
    );
    const name = names.get(webhookId) ?? "another";
    const time = new Date().toTimeString().slice(0, 8);
    console.log(
      `${time}  ${String(correlationId ?? "test").padEnd(9)} -> ${name.padEnd(8)} attempt ${attempt}  ${outcome}${reason ? ` (${reason})` : ""}, ${ms ?? 0} ms`,
    );
  });
}
