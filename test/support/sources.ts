/** Sources in tests, and the calls of providers that are signed for them. */
import { expect } from "vitest";
import { toBase64, toHex, utf8 } from "../../src/base/crypto/encoding";
import { hmac } from "../../src/base/crypto/webhook-signature";
import type { SourceProvider } from "../../src/webhooks/sources/schemas";
import { call, type Person } from "./client";

export const SECRET = "a signing secret";
export const NOW_MS = Date.parse("2026-11-21T12:00:00Z");
export const nowSeconds = () => Math.floor(Date.now() / 1000);

export const create = async (person: Person, provider: SourceProvider, more: object = {}) => {
  const body = { name: "n", provider, secrets: [SECRET], ...more };
  const { status, body: answer } = await call("POST", "/sources", { token: person.token, body });
  expect([status, answer]).toEqual([201, expect.anything()]);
  return answer.data;
};

export const hex = async (text: string, secret = SECRET) => toHex(await hmac("SHA-256", utf8(secret), text));
const base64 = async (text: string, secret = SECRET) => toBase64(await hmac("SHA-256", utf8(secret), text));

/** The providers whose signatures stand in headers, and are made with SECRET. */
export type SigningProvider = Exclude<SourceProvider, "twilio" | "sendgrid" | "mailgun">;

/** The headers that a provider sends with a body. */
export const SIGNED: Record<SigningProvider, (body: string, seconds: number) => Promise<Record<string, string>>> = {
  stripe: async (body, t) => ({ "stripe-signature": `t=${t},v1=${await hex(`${t}.${body}`)}` }),
  github: async (body) => ({ "x-hub-signature-256": `sha256=${await hex(body)}`, "x-github-event": "issues" }),
  shopify: async (body) => ({ "x-shopify-hmac-sha256": await base64(body), "x-shopify-topic": "orders/create" }),
  slack: async (body, t) => ({
    "x-slack-request-timestamp": String(t),
    "x-slack-signature": `v0=${await hex(`v0:${t}:${body}`)}`,
  }),
  standard: async (body, t) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(t),
    "webhook-signature": `v1,${await base64(`msg_1.${t}.${body}`)}`,
  }),
  hmac: async (body, t) => ({ "x-time": String(t), "x-signature": `s=${await hex(`${t}.${body}`)}` }),
};

export const HMAC = {
  verification: { header: "X-Signature", prefix: "s=", content: "{timestamp}.{body}", timestampHeader: "X-Time" },
  type: { pointer: "/kind" },
  dedupe: { pointer: "/n" },
};
export const optionsOf = (provider: SourceProvider) => (provider === "hmac" ? HMAC : {});

export const send = (id: string, raw: string, headers: Record<string, string> = {}) =>
  call("POST", `/in/${id}`, { raw, headers: { "content-type": "application/json", ...headers } });

/** Sends a rightly signed call. */
export const deliver = async (id: string, provider: SigningProvider, body: string, more: Record<string, string> = {}) =>
  send(id, body, { ...(await SIGNED[provider](body, nowSeconds())), ...more });

export const eventsOf = async ({ token }: Person) => (await call("GET", "/events", { token })).body.data;
export const errorsOf = async ({ token }: Person, id: string) =>
  (await call("GET", `/sources/${id}/errors`, { token })).body.data as { reason: string; count: number }[];
