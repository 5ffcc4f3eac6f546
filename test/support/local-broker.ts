/**
 * The delivery queues as the local runtime has them: one batch in flight a queue, and the next one when the handler has
 * ended. Receivers answer when the test says so, and the clock moves when the test moves it.
 */
import { vi } from "vitest";
import type { DeliveryMessage } from "../../src/base/messages";
import { consume } from "../../src/queue";
import { runMessages } from "../../src/webhooks/delivery/run-messages";
import { controlledDeps } from "./controlled";
import { type Key, messageFor } from "./engine";

const BATCH_SIZES = { fast: 60, slow: 10 };
type Speed = keyof typeof BATCH_SIZES;

/** Keeps all answers back, so that no send ends. Returns the ids of the deliveries in the order of their requests. */
function holdAnswers() {
  const sent: string[] = [];
  const answers: (() => void)[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    sent.push(new Headers(init.headers).get("webhook-id") ?? "");
    await new Promise<void>((resolve) => answers.push(resolve));
    return new Response("done");
  });
  /** Answers the requests so far. */
  const answer = () => {
    for (const resolve of answers.splice(0)) resolve();
  };
  return { sent, answer };
}

export async function localBroker() {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const { sent, answer } = holdAnswers();
  const controlled = await controlledDeps();
  const waiting: Record<Speed, DeliveryMessage[]> = { fast: [], slow: [] };
  const queued = new Map<string, number>();
  const isHandling = { fast: false, slow: false };
  const queueOf = (speed: Speed) =>
    ({
      sendBatch: async (messages: Iterable<MessageSendRequest<DeliveryMessage>>) => {
        const bodies = Array.from(messages, ({ body }) => body);
        for (const { id } of bodies.flatMap(({ due }) => due)) queued.set(id, (queued.get(id) ?? 0) + 1);
        waiting[speed].push(...bodies);
        void handle(speed);
      },
      metrics: () => Promise.reject(new Error("no metrics")),
    }) as never;
  const queues = { fast: queueOf("fast"), slow: queueOf("slow") };
  const deps = { ...controlled.deps, deliveryQueues: { numbers: [0], of: () => queues } };

  async function handle(speed: Speed): Promise<void> {
    if (isHandling[speed]) return;
    isHandling[speed] = true;
    while (waiting[speed].length > 0) {
      const messages = waiting[speed].splice(0, BATCH_SIZES[speed]).map((body, index) => ({
        ...{ id: `m${index}`, body, ack: () => undefined, retry: () => undefined },
      }));
      const queue = speed === "slow" ? "postern-deliveries-slow" : "postern-deliveries";
      await consume(deps, { queue, messages } as unknown as MessageBatch, async (message) => {
        const [retry = null] = await runMessages(deps, "slow", [message]);
        return retry;
      });
    }
    isHandling[speed] = false;
  }

  return {
    sent,
    /** How often the service has queued each delivery. */
    queued,
    answer,
    turn: controlled.turn,
    /** Puts a message with each of `keys` into a queue. */
    send: (speed: Speed, keys: readonly Key[]) => {
      waiting[speed].push(...keys.map((key) => messageFor(key)));
      void handle(speed);
    },
    /** Answers everything until nothing is in progress. */
    async end(): Promise<void> {
      const answering = setInterval(answer, 5);
      await controlled.ended();
      clearInterval(answering);
    },
  };
}
