/** The feed of the events of the platform, and a product that listens. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDb } from "../../src/base/db/client";
import { createDeps } from "../../src/base/deps";
import { publishPlatform } from "../../src/webhooks/platform-events/feed";
import { newAddress, signUp } from "./client";
import { faultyDatabase } from "./faults/bindings";
import { callAs, newPlatformKey } from "./platform-keys";
import { newInbox } from "./receiver";

export const KILLED = new Error("killed");
export type Moment = "before" | "after";

/** Runs the feed once. `intercept` is asked before and after each call to D1, and can throw `KILLED`. */
export async function run(
  intercept: (moment: Moment, name: string) => void | Promise<void> = () => {},
  now: () => number = Date.now,
  bindings: Partial<Cloudflare.Env> = {},
) {
  const context = createExecutionContext();
  const deps = await createDeps({ ...env, ...bindings }, context);
  const made = async <T>(name: string, effect: () => Promise<T>) => {
    await intercept("before", name);
    const result = await effect();
    await intercept("after", name);
    return result;
  };
  const db = createDb(faultyDatabase(env.DB, { call: made }), deps.trips);
  try {
    await publishPlatform({ ...deps, db, now }, () => false);
  } catch (error) {
    if (error !== KILLED) throw error;
  }
  await waitOnExecutionContext(context);
  return deps.trips.trips;
}

let key = "";
export const send = (method: string, path: string, body?: unknown) => callAs(key, "", method, `/platform${path}`, body);
export const inPlatform = (method: string, path: string, body?: unknown) => callAs(key, "platform", method, path, body);

/** A subscription of the platform, with further `fields`. */
export async function listen(events: readonly string[] = ["*", "session.revoked"], fields: object = {}) {
  const inbox = newInbox("200");
  const body = { name: "product", url: inbox.url, events, secret: "a-signing-secret", ...fields };
  const { status, body: made } = await inPlatform("POST", "/webhooks", body);
  if (status !== 201) throw new Error(`subscribe answered ${status} ${JSON.stringify(made)}`);
  return { inbox, id: made.data._id as string };
}

// biome-ignore lint/suspicious/noExplicitAny: the payloads have many shapes, and each assertion states its own
type Published = { id: string; type: string; correlationId: string | null; payload: any };

/** What is published, in the order of the feed; only what mentions one of `ids`, if there are any. */
export async function published(...ids: readonly string[]): Promise<Published[]> {
  const { results } = await env.DB.prepare(
    `SELECT id, type, payload, correlation_id AS correlationId FROM events WHERE tenant_id = 'platform'
      ORDER BY created_at, payload ->> '$.sequence', type DESC`,
  ).all<{ id: string; type: string; payload: string; correlationId: string | null }>();
  return results
    .filter(({ payload }) => ids.length === 0 || ids.some((id) => payload.includes(id)))
    .map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

export const typesOf = (events: readonly Published[]) => events.map(({ type }) => type);
export const register = () => signUp({ headers: { "cf-connecting-ip": newAddress() } });
export const count = (sql: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`).first<number>("n");

/** Makes the key of the product. */
export async function openPlatform(): Promise<void> {
  key = (await newPlatformKey()).key;
}

/** Ends all subscriptions of the platform, and begins the feed again. */
export async function beginFeed(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("DELETE FROM subscription_events WHERE tenant_id = 'platform'"),
    env.DB.prepare("DELETE FROM platform_feed"),
  ]);
}
