/** Sign-ins from browsers and places, and what is remembered of them. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import worker from "../../src";
import { call, newEmail, PASSWORD, verify } from "./client";

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
export const NEWER_FIREFOX = FIREFOX.replaceAll("150.0", "151.0");
export const SAFARI =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 " +
  "Mobile/15E148 Safari/604.1";

export interface From {
  userAgent?: string;
  ip?: string;
  cf?: Partial<IncomingRequestCfProperties>;
  secretKeys?: string;
}

/** Sends a request as a device would, with the place that Cloudflare reports for it. */
export async function post(path: string, body: object, from: From = {}) {
  const { userAgent = FIREFOX, ip = "192.0.2.1", cf, secretKeys = env.SECRET_KEYS } = from;
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": ip, "user-agent": userAgent },
    body: JSON.stringify(body),
    cf,
  } as RequestInit<IncomingRequestCfProperties>);
  const response = await worker.fetch(request, { ...env, SECRET_KEYS: secretKeys } as Env, context);
  await waitOnExecutionContext(context);
  // biome-ignore lint/suspicious/noExplicitAny: bodies of several shapes
  return { status: response.status, body: (await response.json()) as any };
}

export const signIn = ({ email }: { email: string }, from: From = {}, fields: object = {}) =>
  post("/auth/login", { email, password: PASSWORD, ...fields }, from);

/** Somebody with a verified address who has registered from a device. */
export async function registeredFrom(from: From = {}) {
  const email = newEmail();
  const { status, body } = await post("/auth/register", { email, password: PASSWORD }, from);
  expect(status).toBe(201);
  await verify(email);
  const { id: userId } = (await call("GET", "/auth/me", { token: body.data.accessToken })).body.data;
  return { email, userId };
}

/** How many sign-ins of a user have been found to come from a new device. */
export const announced = async ({ userId }: { userId: string }) =>
  (
    await env.DB.prepare("SELECT hash FROM email_tokens WHERE subject_id = ? AND action ->> 'kind' = 'signIn'")
      .bind(userId)
      .all()
  ).results.length;

export const known = async ({ userId }: { userId: string }) =>
  (
    await env.DB.prepare("SELECT key, last_seen_at AS lastSeenAt FROM known_devices WHERE user_id = ?")
      .bind(userId)
      .all<{ key: string; lastSeenAt: number }>()
  ).results;

export const setLastSeen = ({ userId }: { userId: string }, lastSeenAt: number) =>
  env.DB.prepare("UPDATE known_devices SET last_seen_at = ? WHERE user_id = ?").bind(lastSeenAt, userId).run();
