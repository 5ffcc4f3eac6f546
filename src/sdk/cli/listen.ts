/** `postern listen`: passes deliveries on to a program on this machine, until it is interrupted. */
import type { Client } from "../client";
import { loadAccount } from "./account";
import type { Command } from "./command";
import { EXIT, usage } from "./failure";
import { type Answer, type Delivery, forward, localUrl } from "./forward";
import { keepListening } from "./listen-connection";
import { tell } from "./output";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const listen: Command = {
  summary: "Pass deliveries on to a program on this machine",
  details:
    "Opens a listener: a subscription of your own, without a public URL. Deliveries are signed, tried\n" +
    "again and in the delivery log as any others, and wait while the connection is lost. On a\n" +
    "terminal, r sends the last delivery to the program again. Ctrl-C closes the listener.",
  options: {
    forward: { value: "URL", help: "where to send them, such as http://localhost:3000/hooks" },
    events: { value: "TYPES", help: "event types with commas between them; all (*) unless given" },
    name: { value: "NAME", help: "what the listener is called" },
    replay: { value: "PERIOD", help: "first send the events of a period up to now, such as 30m, 1h, 2d" },
    "allow-remote": { help: "take a URL of another machine" },
    "print-secret": { help: "print the secret that verifies the deliveries" },
  },
  run: async ({ args, options, json, client }) => {
    if (args.length > 0) throw usage("postern listen takes no arguments.");
    const url = localUrl(options.forward, options["allow-remote"] !== undefined);
    const since = options.replay === undefined ? undefined : beginOf(options.replay);
    if (typeof WebSocket === "undefined") throw usage("postern listen needs Node 22 or newer.");
    const api = client();
    const events = (options.events ?? "*").split(",").map((type) => type.trim());
    const { _id: id, ticket, secret } = await api.listen.open({ events, name: options.name ?? "Listener" });
    if (options["print-secret"]) process.stdout.write(`${secret}\n`);
    const interrupted = new AbortController();
    const program = passingTo(url, json);
    const endKeys = onKeys({ r: program.repeat, "\u0003": () => interrupted.abort() });
    process.once("SIGINT", () => interrupted.abort());
    process.once("SIGTERM", () => interrupted.abort());
    try {
      const tickets = ticketsOf(api, id, ticket);
      const onReady = onFirst(() => begun(api, { id, url, since }));
      await keepListening({ url: socketUrl(id), ticket: tickets, onReady, ...program, signal: interrupted.signal });
    } finally {
      endKeys();
      await api.listen.close(id).catch(() => undefined);
    }
    return EXIT.ok;
  },
};

/** The begin of a period that ends now, such as `1h`. */
function beginOf(period: string): string {
  const [, count, unit] = period.match(/^(\d{1,5})([mhd])$/) ?? [];
  if (!count || !unit) throw usage("--replay is a period such as 30m, 1h or 2d.");
  return new Date(Date.now() - Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]).toISOString();
}

function socketUrl(id: string): string {
  const { url } = loadAccount();
  return `${url.replace(/^http/, "ws").replace(/\/$/, "")}/api/v1/listen/${id}/socket`;
}

/** The first ticket came with the listener. */
function ticketsOf(api: Client, id: string, first: string): () => Promise<string> {
  let left: string | undefined = first;
  return async () => {
    const ticket = left ?? (await api.listen.ticket(id)).ticket;
    left = undefined;
    return ticket;
  };
}

function onFirst(work: () => void): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) work();
    isFirst = false;
  };
}

function begun(api: Client, { id, url, since }: { id: string; url: string; since: string | undefined }): void {
  tell(`Listening. Deliveries go to ${url}. Press Ctrl-C to stop.`);
  if (since === undefined) return;
  api.webhooks
    .replay(id, { since, which: "missing", includeBefore: true })
    .catch((error: unknown) => tell(`The replay failed: ${error instanceof Error ? error.message : error}`));
}

/** Passes deliveries on, prints a line for each, and can repeat the last one. */
function passingTo(url: string, json: boolean) {
  let last: Delivery | undefined;
  const handle = async (delivery: Delivery): Promise<Answer> => {
    last = delivery;
    const startedMs = Date.now();
    const answer = await forward(url, delivery);
    process.stdout.write(`${lineOf(delivery, answer, { startedMs, json })}\n`);
    return answer;
  };
  return { handle, repeat: () => void (last && handle(last)) };
}

function lineOf(
  { headers }: Delivery,
  answer: Answer,
  { startedMs, json }: { startedMs: number; json: boolean },
): string {
  const names = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [type, id] = [names["x-webhook-event"], names["webhook-id"]];
  const outcome = "error" in answer ? { error: answer.error } : { status: answer.status };
  const [time, ms] = [new Date(startedMs).toISOString(), Date.now() - startedMs];
  if (json) return JSON.stringify({ time, type, id, ...outcome, ms });
  return `${time}  ${type}  ${id}  ${outcome.status ?? outcome.error}  ${ms} ms`;
}

/** Calls back for single keys on a terminal. Returns what ends that. */
function onKeys(actions: Record<string, () => void>): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  stdin.setRawMode(true);
  stdin.on("data", (key) => actions[String(key)]?.());
  return () => {
    stdin.setRawMode(false);
    stdin.pause();
  };
}
