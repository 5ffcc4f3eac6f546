/** The subscriptions of the demo, and what is done with some of them. */
import { PLATFORM } from "./platform.ts";
import type { Service } from "./service.ts";
import type { Subscriber } from "./subscribers.ts";

/** This subscriber subscribes only after events that it has missed. */
const LATE = "newcomer";
const LATE_MS = 10_000;

interface Scene {
  service: Service;
  /** The owner's access token. */
  token: string;
  subscribers: readonly Subscriber[];
}

/**
 * Subscribes everybody, one of them later. Returns the subscriptions' names by id; the later one is added when it
 * subscribes.
 */
export async function subscribeAll(scene: Scene, signal: AbortSignal): Promise<Map<string, string>> {
  const { service, token, subscribers } = scene;
  const since = new Date().toISOString();
  const ids = new Map<string, string>();
  const subscribe = async ({ name, url, secret, events, delivery }: Subscriber): Promise<string> => {
    const { _id = "" } = await service.call("POST", "/webhooks", { name, url, secret, events, delivery }, token);
    ids.set(_id, name);
    return _id;
  };
  for (const subscriber of subscribers.filter(({ name }) => name !== LATE && name !== PLATFORM)) {
    const id = await subscribe(subscriber);
    if (subscriber.name === "held") await service.call("POST", `/webhooks/${id}/pause`, undefined, token);
  }
  const joinLate = async () => {
    for (const subscriber of subscribers.filter(({ name }) => name === LATE)) {
      const id = await subscribe(subscriber);
      const replay = { since, which: "missing", includeBefore: true, ratePerMinute: 60 };
      await service.call("POST", `/webhooks/${id}/replay`, replay, token);
    }
  };
  const timer = setTimeout(() => {
    joinLate().catch((error: Error) => {
      if (!signal.aborted) console.error(error.message);
    });
  }, LATE_MS);
  signal.addEventListener("abort", () => clearTimeout(timer));
  return ids;
}
