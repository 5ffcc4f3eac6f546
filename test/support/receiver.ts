/** The subscribers of the tests: URLs with a behaviour, and what they received. */
import { env } from "cloudflare:workers";
import { call, eventually, type Person } from "./client";

interface Received {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  at: number;
  /** At a slow inbox: how many requests it had in progress then, this one included. */
  inProgress?: number;
}

let inboxes = 0;

/** Creates an inbox, at a URL with one of the behaviours of receiver-worker.mjs. */
export function newInbox(behaviour: string) {
  const name = `inbox${++inboxes}-${crypto.randomUUID()}`;
  const received = async () => (await (await env.RECEIVER.fetch(`http://inbox/${name}`)).json()) as Received[];
  return {
    url: `http://receiver.example/${behaviour}/${name}`,
    received,
    /** Waits until at least `count` deliveries have arrived, and returns all of them. */
    arrived: (count: number, withinMs?: number) =>
      eventually(
        `${count} deliveries to ${behaviour}`,
        async () => {
          const list = await received();
          return list.length >= count && list;
        },
        withinMs,
      ),
  };
}

export async function subscribe(person: Person, url: string, fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: "test", url, events: ["OrderPaid"], secret: "a-signing-secret", ...fields };
  const answer = await call("POST", "/webhooks", { token: person.token, body });
  if (answer.status !== 201) throw new Error(`subscribe answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data._id;
}

export async function publish(person: Person, payload: unknown, fields: Record<string, unknown> = {}) {
  const answer = await call("POST", "/events", {
    token: person.token,
    body: { type: "OrderPaid", payload, ...fields },
  });
  if (answer.status !== 202) throw new Error(`publish answered ${answer.status}`);
  return answer.body.data as { id: string; type: string; deliveries: number };
}

/** Waits until at least `count` attempts of a subscription have ended, and returns them, newest first. */
export function endedAttempts(person: Person, webhookId: string, count: number, withinMs?: number) {
  return eventually(
    `${count} ended attempts`,
    async () => {
      const { body } = await call("GET", `/webhooks/${webhookId}/logs`, { token: person.token });
      const ended = body.data.filter((row: { status: string }) => row.status !== "pending");
      return ended.length >= count && ended;
    },
    withinMs,
  );
}
