/** What the holder of a credential can come to, in one step or by using what it has made. */
import { env } from "cloudflare:workers";
import { call, newEmail, type Person } from "./client";
import { createFeed, type Feed } from "./feeds";
import { ended, ndjson } from "./imports";
import { newInbox, publish, subscribe } from "./receiver";
import { create, deliver, HMAC, SECRET } from "./sources";

/** What somebody gains. */
export type Gain =
  | "publishes events"
  | "reads events"
  | "receives events at its own URL"
  | "reads signing secrets"
  | "decides which events are accepted"
  | "adds members"
  | "reads people"
  | "changes people"
  | "reads the audit log";

/** A tenant in which there is something of each kind. */
export interface Stage {
  owner: Person;
  feed: Feed;
  sourceId: string;
  webhookId: string;
  eventId: string;
}

export async function newStage(owner: Person): Promise<Stage> {
  const feed = await createFeed(owner);
  const { id: sourceId } = await create(owner, "hmac", HMAC);
  const webhookId = await subscribe(owner, newInbox("ok").url);
  const { id: eventId } = await publish(owner, { payload: "confidential" });
  return { owner, feed, sourceId, webhookId, eventId };
}

/** Calls the API with the credential. */
export type As = (method: string, path: string, body?: object) => ReturnType<typeof call>;

const own = newInbox("ok").url;
const HOOK = { name: "n", url: own, events: ["*"], secret: "hush" };
const isMade = ({ status }: { status: number }) => status < 300;
const isShown = (answer: { body: unknown }, text: string) => JSON.stringify(answer.body).includes(text);

/** Signs a call to a source. Returns whether it became an event. */
async function publishesBy(sourceId: string): Promise<boolean> {
  const body = JSON.stringify({ kind: "order.paid", n: crypto.randomUUID() });
  return isMade(await deliver(sourceId, "hmac", body));
}

/** Whether a token reads events: of a feed, or of the tenant. */
async function reads(token: string, path: string): Promise<boolean> {
  return isShown(await call("GET", path, { token }), "confidential");
}

/** Each way, and what it gives if it succeeds. The ways are tried one after the other, each on what is there. */
export const WAYS: Readonly<Record<string, { gain: Gain; succeeds(as: As, stage: Stage): Promise<boolean> }>> = {
  "publishes an event": {
    gain: "publishes events",
    succeeds: async (as) => isMade(await as("POST", "/events", { type: "order.paid", payload: 1 })),
  },
  "makes a source and signs a call": {
    gain: "publishes events",
    succeeds: async (as) => {
      const made = await as("POST", "/sources", { name: "n", provider: "hmac", secrets: [SECRET], ...HMAC });
      return isMade(made) && publishesBy(made.body.data.id);
    },
  },
  "gives a source a secret of its own": {
    gain: "publishes events",
    succeeds: async (as, { sourceId }) =>
      isMade(await as("POST", `/sources/${sourceId}/secrets`, { secret: "a secret of the thief's" })),
  },
  "changes the types of a source": {
    gain: "publishes events",
    succeeds: async (as, { sourceId }) => isMade(await as("PATCH", `/sources/${sourceId}`, { typePrefix: "billing." })),
  },
  "makes a feed and reads it": {
    gain: "reads events",
    succeeds: async (as, { owner }) => {
      const made = await as("POST", "/feeds", { name: "n", events: ["*"] });
      if (!isMade(made)) return false;
      await publish(owner, { payload: "confidential" });
      return reads(made.body.data.token, `/feeds/${made.body.data.id}/events?from=oldest`);
    },
  },
  "takes the token of a feed and reads it": {
    gain: "reads events",
    succeeds: async (as, { feed }) => {
      const made = await as("POST", `/feeds/${feed.id}/token`, { overlapSeconds: 0 });
      return isMade(made) && reads(made.body.data.token, `/feeds/${feed.id}/events?from=oldest`);
    },
  },
  "makes a portal token and reads with it": {
    gain: "reads events",
    succeeds: async (as, { eventId }) => {
      const made = await as("POST", "/portal-tokens", { permissions: ["webhook.read"] });
      return isMade(made) && reads(made.body.data.token, `/events/${eventId}`);
    },
  },
  "reads an event": {
    gain: "reads events",
    succeeds: async (as, { eventId }) => isShown(await as("GET", `/events/${eventId}`), "confidential"),
  },
  "opens a listener": {
    gain: "receives events at its own URL",
    succeeds: async (as) => isMade(await as("POST", "/listen", { events: ["*"] })),
  },
  "subscribes a URL": {
    gain: "receives events at its own URL",
    succeeds: async (as) => isMade(await as("POST", "/webhooks", HOOK)),
  },
  "imports a subscription": {
    gain: "receives events at its own URL",
    succeeds: async (as) =>
      isMade(await as("POST", "/webhooks/import", { webhooks: [{ ...HOOK, externalId: crypto.randomUUID() }] })),
  },
  "points a subscription to its URL": {
    gain: "receives events at its own URL",
    succeeds: async (as, { webhookId }) => isMade(await as("PATCH", `/webhooks/${webhookId}`, { url: own })),
  },
  "reads a subscription": {
    gain: "reads signing secrets",
    succeeds: async (as, { webhookId }) => isShown(await as("GET", `/webhooks/${webhookId}`), '"secret":'),
  },
  "changes a subscription": {
    gain: "reads signing secrets",
    succeeds: async (as, { webhookId }) =>
      isShown(await as("PATCH", `/webhooks/${webhookId}`, { name: "another" }), '"secret":'),
  },
  "declares a type": {
    gain: "decides which events are accepted",
    succeeds: async (as) => isMade(await as("POST", "/event-types", { name: `t${crypto.randomUUID()}` })),
  },
  "turns off what is not declared": {
    gain: "decides which events are accepted",
    succeeds: async (as) => isMade(await as("PATCH", "/tenant/event-types", { mode: "any" })),
  },
  "adds a member": {
    gain: "adds members",
    succeeds: async (as, { owner }) =>
      isMade(await as("POST", `/platform/tenants/${owner.tenantId}/members`, { user: owner.userId, role: "owner" })),
  },
  "imports a member": {
    gain: "adds members",
    succeeds: async (as, { owner }) => {
      const email = newEmail();
      const made = await as("POST", "/platform/imports", {});
      if (!isMade(made)) return false;
      const { id } = made.body.data;
      const row = { email, emailVerified: true, memberships: [{ tenant: owner.tenantId, role: "owner" }] };
      await as("PUT", `/platform/imports/${id}/parts/1`, { ndjson: ndjson([row]) });
      await as("POST", `/platform/imports/${id}/start`, { parts: 1 });
      await ended(id);
      const found = await env.DB.prepare(
        "SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = ? AND m.tenant_id = ?",
      )
        .bind(email, owner.tenantId)
        .first();
      return found !== null;
    },
  },
  "lists people": {
    gain: "reads people",
    succeeds: async (as) => isMade(await as("GET", "/platform/users")),
  },
  "lists members": {
    gain: "reads people",
    succeeds: async (as, { owner }) => isMade(await as("GET", `/platform/tenants/${owner.tenantId}/members`)),
  },
  "makes a person": {
    gain: "changes people",
    succeeds: async (as) => isMade(await as("POST", "/platform/users", { email: newEmail() })),
  },
  "reads the audit log": {
    gain: "reads the audit log",
    succeeds: async (as) => isMade(await as("GET", "/audit")),
  },
  "subscribes to the audit log": {
    gain: "reads the audit log",
    succeeds: async (as) => isMade(await as("POST", "/webhooks", { ...HOOK, events: ["postern.audit.*"] })),
  },
};
