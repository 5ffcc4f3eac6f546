/** A new entry in front of SECRET_KEYS logs nobody out and loses nothing; taking the old one out ends what it made. */
import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { sha256Hex } from "../../src/base/crypto/encoding";
import { atomically } from "../../src/base/db/client";
import { createDeps } from "../../src/base/deps";
import { insertRevert, newRevert } from "../../src/base/mail/revert-store";
import { prepareMail } from "../../src/mailer/prepare";
import { renderMail } from "../../src/mailer/render";
import { verifyDelivery } from "../../src/sdk/verify";
import { call, logIn, PASSWORD, type Person, signUp, verify } from "../support/client";
import { addDelivery, consumeBatch, hourly, makeDue, messageFor, metricsOf, outboxRow } from "../support/engine";
import { mailTo, tokenIn } from "../support/mailbox";
import { callUnder } from "../support/overrides";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { codeOf, enrol } from "../support/two-factor";

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

  describe("of somebody who turned two-factor authentication off", () => {
    const ROTATED = `${NEW_KEY},${env.SECRET_KEYS}`;
    async function turnedOff() {
      const person = await logIn(await signUp());
      const secret = await enrol(person);
      await call("POST", "/auth/2fa/disable", { token: person.token, body: { token: codeOf(secret) } });
      return { person, secret, link: tokenIn(await mailTo(person.email, /turned off/)) };
    }
    const undo = (link: string) => callWith(NEW_KEY, "POST", "/auth/not-me", { token: link });
    const logInTo = ({ email }: Person, totp?: string) =>
      callWith(NEW_KEY, "POST", "/auth/login", { email, password: PASSWORD, totp });

    test("the link that turns it on again works after the old key has gone", async () => {
      const { person, secret, link } = await turnedOff();
      await hourly({ SECRET_KEYS: ROTATED });
      expect((await undo(link)).status).toBe(200);
      expect((await logInTo(person)).body.code).toBe("TOTP_REQUIRED");
      expect((await logInTo(person, codeOf(secret, 1))).status).toBe(200);
    });

    test("the link says so when no key opens the secret, and lets the owner in", async () => {
      const { person, link } = await turnedOff();
      const undone = await undo(link);
      expect([undone.status, undone.body.message]).toEqual([
        200,
        "Undone, except that two-factor authentication stays off. All sessions and API keys have ended, and a " +
          "reset link has been sent.",
      ]);
      expect((await mailTo(person.email, /Reset your password/)).text).toContain("could not be turned on again");
      expect((await logInTo(person)).status).toBe(200);
    });
  });

  test("a second factor that no key opens is answered 503, and does not count as a wrong code", async () => {
    const person = await logIn(await signUp());
    const secret = await enrol(person);
    const login = { email: person.email, password: PASSWORD, totp: codeOf(secret) };
    for (let tries = 0; tries < 11; tries += 1) {
      expect((await callWith(NEW_KEY, "POST", "/auth/login", login)).body.code).toBe("SERVICE_UNAVAILABLE");
    }
    expect((await callWith(env.SECRET_KEYS, "POST", "/auth/login", login)).status).toBe(200);
  });

  test("a link that was stored before the new key came works in a mail that is sent later", async () => {
    const person = await logIn(await signUp());
    const deps = await createDeps(env, createExecutionContext());
    const revert = await newRevert(deps.keys, Date.now());
    await atomically(deps.db, { stored: insertRevert(revert, person.userId, "apiKey") });
    const later = await createDeps({ ...env, SECRET_KEYS: `${NEW_KEY},${env.SECRET_KEYS}` }, createExecutionContext());
    const job = { kind: "apiKeyCreated", id: revert.mailId, userId: person.userId, keyName: "a key" } as const;
    const prepared = await prepareMail(later, job);
    const text = prepared ? renderMail(prepared.mail, later.config.brand).text : "";
    const [token = ""] = /[0-9a-f]{64}/.exec(text) ?? [];
    expect(await sha256Hex(token)).toBe(revert.hash);
  });

  test("old keys are looked for once a day, even if the list of keys has not changed", async () => {
    const passed = async (hours: number) => {
      await env.DB.prepare("UPDATE key_checks SET missing = '[]', checked_at = checked_at - ?")
        .bind(hours * 3_600_000)
        .run();
      await env.DB.prepare("UPDATE users SET totp_secret_encrypted = 'gone.AA.AA' WHERE id = ?").bind(userId).run();
      await hourly();
      const { missing } = (await env.DB.prepare("SELECT missing FROM key_checks WHERE id = 1").first()) as {
        missing: string;
      };
      return missing;
    };
    const { userId } = await signUp();
    await hourly();
    expect(await passed(23)).not.toContain('"gone"');
    expect(await passed(2)).toContain('"gone"');
    await env.DB.prepare("UPDATE users SET totp_secret_encrypted = NULL WHERE id = ?").bind(userId).run();
    await hourly();
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
