/** Publishes events at a slow pace with an API key, and prints each attempt to deliver them and each mail. */
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

/** The characters of a correlation id that are shown. */
const SHOWN = 9;

/** Prints a line for each attempt. `names` holds the subscriptions' names by id. */
export function printAttempts(service: Service, names: ReadonlyMap<string, string>): void {
  service.onLine((line) => {
    const start = line.indexOf('{"level"');
    if (start < 0 || !line.includes('"message":"attempt"')) return;
    const { webhookId, correlationId, attempt, outcome, reason, ms } = JSON.parse(
      line.slice(start, line.lastIndexOf("}") + 1),
    );
    const name = names.get(webhookId) ?? "unknown";
    console.log(
      `${timeNow()}  ${String(correlationId ?? "-")
        .slice(0, SHOWN)
        .padEnd(SHOWN)} -> ${name.padEnd(8)} attempt ${attempt}  ` +
        `${outcome}${reason ? ` (${reason})` : ""}, ${ms ?? 0} ms`,
    );
  });
}

/** Prints a line for each mail, with the path of its text. */
export function printMails(service: Service): void {
  let to = "";
  let subject = "";
  service.onLine((line) => {
    to = line.match(/^To: (\S+)/)?.[1] ?? to;
    subject = line.match(/^Subject: (.+)/)?.[1] ?? subject;
    const path = line.match(/^Text: (\S+\.txt)/)?.[1];
    if (path) console.log(`${timeNow()}  mail to ${to}: ${subject}\n          ${path}`);
  });
}

const timeNow = () => new Date().toTimeString().slice(0, 8);
