/** The load of the crash run: subscriptions, and publishers that continue until every event is accepted. */
import { setTimeout as sleep } from "node:timers/promises";

const PUBLISHERS = 10;
/** Few enough that a page of 100 of a subscription's log shows every attempt. */
const EVENTS_PER_SUBSCRIPTION = 20;
const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 100;

export interface Load {
  /** Event ids by the number in the payload. */
  accepted: Map<number, string>;
  /** Resolves when all events are accepted. */
  publishAll(): Promise<unknown>;
  /** The logs of all subscriptions, newest first in each; null while the service is down. */
  readLogs(): Promise<LogRow[] | null>;
}

export interface LogRow {
  _id: string;
  webhookId: string;
  payload: { n: number };
  status: "pending" | "success" | "failed";
  attemptCount: number;
  attemptedAt: string;
}

type Api = <T>(method: string, path: string, body?: unknown, key?: string) => Promise<{ status: number; data: T }>;

/**
 * Registers and subscribes `url`. Publishes at most `ratePerSecond` events a second; with Infinity, as fast as the
 * service responds.
 */
export async function createLoad(base: string, url: string, eventCount: number, ratePerSecond: number): Promise<Load> {
  const api = await signedIn(base);
  const typeOf = (n: number) => `Crash${Math.floor(n / EVENTS_PER_SUBSCRIPTION)}`;
  const webhooks: string[] = [];
  for (let n = 0; n < eventCount; n += EVENTS_PER_SUBSCRIPTION) {
    const subscription = { name: typeOf(n), url, events: [typeOf(n)], secret: "s" };
    webhooks.push((await api<{ _id: string }>("POST", "/webhooks", subscription)).data._id);
  }

  const accepted = new Map<number, string>();
  const pauseMs = (PUBLISHERS * 1000) / ratePerSecond;
  let next = 0;
  /** Publishes an event again, with the same key, when a kill has cut off its response. */
  const publisher = async () => {
    while (next < eventCount) {
      const n = next++;
      while (!accepted.has(n)) {
        const event = { type: typeOf(n), payload: { n } };
        const answer = await api<{ id: string }>("POST", "/events", event, `crash-${n}`).catch(() => undefined);
        if (answer?.status === 202) accepted.set(n, answer.data.id);
        else await sleep(RETRY_MS);
      }
      await sleep(pauseMs);
    }
  };
  return {
    accepted,
    publishAll: () => Promise.all(Array.from({ length: PUBLISHERS }, publisher)),
    async readLogs() {
      const rows: LogRow[] = [];
      try {
        for (const id of webhooks) rows.push(...(await api<LogRow[]>("GET", `/webhooks/${id}/logs?limit=100`)).data);
      } catch {
        return null;
      }
      return rows;
    },
  };
}

async function signedIn(base: string): Promise<Api> {
  let token = "";
  const api: Api = async <T>(method: string, path: string, body?: unknown, key?: string) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(key ? { "idempotency-key": key } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: response.status, data: ((await response.json()) as { data: T }).data };
  };
  const credentials = { email: "crash@example.com", password: "crash test pass phrase" };
  await api("POST", "/auth/register", credentials);
  token = (await api<{ accessToken: string }>("POST", "/auth/login", credentials)).data.accessToken;
  // Lasts longer than an access token.
  const scopes = ["webhook.create", "webhook.read", "event.publish"];
  token = (await api<{ key: string }>("POST", "/api-keys", { name: "crash", scopes })).data.key;
  return api;
}
