/** A new entry in front of SECRET_KEYS logs nobody out and loses nothing; taking the old one out ends what it made. */
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { verifyDelivery } from "../../src/sdk/verify";
import { call, PASSWORD, signUp, verify } from "../support/client";
import { addDelivery, consumeBatch, hourly, makeDue, messageFor, metricsOf, outboxRow } from "../support/engine";
import { callUnder } from "../support/overrides";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const NEW_KEY = "c7341a0d7fd1b794ab602ff5266fb9c58b837dc52afbec65abc0cfd415b64327";

/** A call to the Worker with these keys. */
const callWith = (keys: string, method: string, path: string, body?: unknown, token?: string) =>
  callUnder({ SECRET_KEYS: keys }, { method, path: `/api/v1${path}`, body, token });

describe("rotation of SECRET_KEYS", () => {
  test("keeps sessions and second factors while the old key stays, ends them when it goes", async () => {
    const person = await signUp();
    await verify(person.email);
    const old = env.SECRET_KEYS;
    const enable = await callWith(old, "POST", "/auth/2fa/enable", undefined, person.token);
    const totp = new TOTP({ secret: Secret.fromBase32(enable.body.data.secret) });
    const rotated = `${NEW_KEY},${old}`;
    const verified = await callWith(rotated, "POST", "/auth/2fa/verify", { token: totp.generate() }, person.token);
    expect(verified.status).toBe(200);
    expect((await callWith(rotated, "GET", "/auth/me", undefined, person.token)).status).toBe(200);
    const login = { email: person.email, password: PASSWORD, totp: totp.generate({ timestamp: Date.now() + 30_000 }) };
    expect((await callWith(rotated, "POST", "/auth/login", login)).status).toBe(200);

    const body = { refreshToken: person.refreshToken };
    expect((await callWith(NEW_KEY, "POST", "/auth/refresh", body)).body.code).toBe("REFRESH_TOKEN_INVALID");
    const refreshed = await callWith(rotated, "POST", "/auth/refresh", body);
    expect(refreshed.status).toBe(200);
    const { accessToken, refreshToken } = refreshed.body.data;
    expect((await callWith(NEW_KEY, "GET", "/auth/me", undefined, accessToken)).status).toBe(200);
    expect((await callWith(NEW_KEY, "GET", "/auth/me", undefined, person.token)).status).toBe(401);
    expect((await callWith(NEW_KEY, "POST", "/auth/refresh", { refreshToken })).status).toBe(200);
  });

  test("the hourly cron moves signing and TOTP secrets to the new key, and then the old one can go", async () => {
    const person = await signUp();
    const webhookId = await subscribe(person, newInbox("200").url, { secret: "kept through it all" });
    const enable = await callWith(env.SECRET_KEYS, "POST", "/auth/2fa/enable", undefined, person.token);
    const totp = new TOTP({ secret: Secret.fromBase32(enable.body.data.secret) });
    const rotated = `${NEW_KEY},${env.SECRET_KEYS}`;
    await hourly({ SECRET_KEYS: rotated });
    const refreshed = await callWith(rotated, "POST", "/auth/refresh", { refreshToken: person.refreshToken });
    const token = refreshed.body.data.accessToken;
    const webhook = await callWith(NEW_KEY, "GET", `/webhooks/${webhookId}`, undefined, token);
    expect(webhook.body.data).toMatchObject({ secret: "kept through it all", version: 0 });
    const verified = await callWith(NEW_KEY, "POST", "/auth/2fa/verify", { token: totp.generate() }, token);
    expect(verified.status).toBe(200);
  });

  test("the hourly cron moves former secrets, Ed25519 keys and headers too: every signature stays", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const delivery = { signature: "v1+v1a", headers: { Authorization: "Bearer kept" } };
    const fields = { secret: "the first", delivery };
    const webhookId = await subscribe(person, inbox.url, fields);
    const token = person.token;
    await call("POST", `/webhooks/${webhookId}/secret/rotate`, { token, body: { secret: "the second" } });
    await call("POST", `/webhooks/${webhookId}/secret/rotate`, { token, body: { kind: "v1a" } });
    const { body: keys } = await call("GET", `//.well-known/webhook-keys/${webhookId}`);
    await hourly({ SECRET_KEYS: `${NEW_KEY},${env.SECRET_KEYS}` });
    const { results } = await deliveryDb
      .prepare("SELECT sealed FROM signing_keys WHERE subscription_id = ?")
      .bind(webhookId)
      .all<{ sealed: string }>();
    const oldKeyIds = new Set(results.map(({ sealed }) => sealed.split(".")[0]));
    expect([results.length, oldKeyIds.size]).toEqual([3, 1]);
    const key = await addDelivery(person, webhookId);
    const context = createExecutionContext();
    const body = messageFor(key);
    const batch = createMessageBatch("postern-deliveries", [{ id: "m", timestamp: new Date(), attempts: 1, body }]);
    await worker.queue(batch, { ...env, SECRET_KEYS: NEW_KEY }, context);
    await waitOnExecutionContext(context);
    const [request] = await inbox.arrived(1);
    if (!request) throw new Error("nothing came");
    expect(request.headers.authorization).toBe("Bearer kept");
    for (const secret of ["the first", "the second", keys.whpk[1]]) {
      expect(await verifyDelivery(request, secret)).toMatchObject({ payload: 1 });
    }
  });

  test("a delivery whose signing secret cannot be opened waits for the key and uses up no attempt", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    const webhookId = await subscribe(person, inbox.url);
    const key = await addDelivery(person, webhookId);
    const context = createExecutionContext();
    const batch = createMessageBatch("postern-deliveries", [
      { id: "m", timestamp: new Date(), attempts: 1, body: messageFor(key) },
    ]);
    await worker.queue(batch, { ...env, SECRET_KEYS: NEW_KEY }, context);
    await waitOnExecutionContext(context);
    const row = await outboxRow(key);
    expect(row).toMatchObject({ attempts: 0, interruptions: 0 });
    expect(row?.due_at).toBeGreaterThan(Date.now());
    expect(await metricsOf(person, webhookId)).toEqual({ total: 0, success: 0, failed: 0, pending: 0 });
    await consumeBatch([messageFor(await makeDue(key))]);
    expect(await inbox.received()).toHaveLength(1);
  });
});
