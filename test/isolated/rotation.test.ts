/** Rotating a subscription's secret: old and new sign together for a while, and what ends an old one. */
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { toHex, utf8 } from "../../src/crypto/encoding";
import { call, type Person, setRole, signUp } from "../support/client";
import { addDelivery, consumeBatch, hourly, keyNow, makeDue, messageFor } from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { sendOne, verifies } from "../support/signed";

afterEach(() => vi.useRealTimers());

const SECRETS = ["first secret", "second secret", "third secret", "fourth secret", "fifth secret"] as const;
const DAY_MS = 86_400_000;

async function newSubscription(fields: Record<string, unknown> = {}) {
  const person = await signUp();
  const inbox = newInbox("200");
  const id = await subscribe(person, inbox.url, { secret: SECRETS[0], ...fields });
  return { person, inbox, id };
}

const rotateBy = (person: Person, id: string, body: object = {}) =>
  call("POST", `/webhooks/${id}/secret/rotate`, { token: person.token, body });
const end = (person: Person, id: string) => call("DELETE", `/webhooks/${id}/secret/previous`, { token: person.token });
const read = async (person: Person, id: string) =>
  (await call("GET", `/webhooks/${id}`, { token: person.token })).body.data;

const bodySignature = async (secret: string, body: string) => {
  const key = await crypto.subtle.importKey("raw", utf8(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(body))));
};

describe("a rotation", () => {
  test("answers with the new secret, when the old one ends, and the next version", async () => {
    const { person, id } = await newSubscription();
    const { status, body } = await rotateBy(person, id, { secret: SECRETS[1], overlapSeconds: 60 });
    expect([status, body.data]).toEqual([200, { ...(await read(person, id)), secret: SECRETS[1], version: 1 }]);
    const [expireAt, ...more] = body.secretRotation.previousExpireAt;
    expect(more).toEqual([]);
    expect(Date.parse(expireAt)).toBe(Date.parse(body.data.updatedAt) + 60_000);
  });

  test("makes a random whsec_ secret of 32 bytes and lasts a day unless told otherwise", async () => {
    const { person, id } = await newSubscription();
    const { body } = await rotateBy(person, id);
    expect(body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Date.parse(body.secretRotation.previousExpireAt[0])).toBe(Date.parse(body.data.updatedAt) + DAY_MS);
    expect((await rotateBy(person, id)).body.data.secret).not.toBe(body.data.secret);
  });

  test("stores the former secret encrypted", async () => {
    const { person, id } = await newSubscription();
    await rotateBy(person, id, { secret: SECRETS[1] });
    const { results } = await deliveryDb.prepare("SELECT * FROM signing_keys WHERE subscription_id = ?").bind(id).all();
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain(SECRETS[0]);
  });

  test.each([
    [{ secret: SECRETS[0] }, "secret"],
    [{ secret: "" }, "secret"],
    [{ secret: "s".repeat(257) }, "secret"],
    [{ secret: "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=" }, "secret"],
    [{ secret: "whsk_x" }, "secret"],
    [{ overlapSeconds: -1 }, "overlapSeconds"],
    [{ overlapSeconds: 604_801 }, "overlapSeconds"],
    [{ overlapSeconds: 1.5 }, "overlapSeconds"],
    [{ overlapSeconds: "60" }, "overlapSeconds"],
    [{ kind: "v2" }, "kind"],
    [{ kind: "v1a" }, "kind"],
    [{ kind: "v1a", secret: "mine" }, "secret"],
  ])("with %j is refused with 400, and the secret stays", async (body, path) => {
    const { person, id } = await newSubscription();
    const refused = await rotateBy(person, id, body);
    const paths = refused.body.details.map((detail: { path: string }) => detail.path);
    expect([refused.status, refused.body.code, paths]).toEqual([400, "VALIDATION_FAILED", [path]]);
    expect(await read(person, id)).toMatchObject({ secret: SECRETS[0], version: 0 });
  });

  test("needs webhook.update and a subscription of the tenant", async () => {
    const { person, id } = await newSubscription();
    const stranger = await signUp();
    expect((await rotateBy(stranger, id)).status).toBe(404);
    expect((await end(stranger, id)).status).toBe(404);
    expect((await call("POST", `/webhooks/${id}/secret/rotate`, { body: {} })).status).toBe(401);
    await setRole(person, "viewer");
    expect([(await rotateBy(person, id)).status, (await end(person, id)).status]).toEqual([403, 403]);
    await setRole(person, "owner");
    expect(await read(person, id)).toMatchObject({ secret: SECRETS[0], version: 0 });
  });

  test("of several at the same time one wins, the others answer 409, and no secret is lost", async () => {
    const hook = await newSubscription();
    const answers = await Promise.all(SECRETS.slice(1).map((secret) => rotateBy(hook.person, hook.id, { secret })));
    const won = answers.filter(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(answers.length - 1).fill(409)]);
    const request = await sendOne(hook);
    expect(request.headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of [won[0]?.body.data.secret, SECRETS[0]]) expect(await verifies(request, secret)).toBe(true);
  });

  test("keeps at most 3 old secrets: a fourth is refused with 409 until one has ended, unless it ends at once", async () => {
    const { person, id } = await newSubscription();
    for (const secret of SECRETS.slice(1, 4)) expect((await rotateBy(person, id, { secret })).status).toBe(200);
    const refused = await rotateBy(person, id, { secret: SECRETS[4] });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      409,
      "CONFLICT",
      "A subscription can have at most 3 old secrets. Wait until one ends, or end them.",
    ]);
    const leaked = await rotateBy(person, id, { secret: SECRETS[4], overlapSeconds: 0 });
    expect([leaked.status, leaked.body.secretRotation.previousExpireAt.length]).toEqual([200, 3]);
    await end(person, id);
    expect((await rotateBy(person, id, { secret: SECRETS[0] })).status).toBe(200);
  });

  test("happens at most 10 times an hour for a subscription; refused ones do not count", async () => {
    const { person, id } = await newSubscription();
    for (let number = 0; number < 10; number += 1) {
      const { secret } = await read(person, id);
      expect((await rotateBy(person, id, { secret })).status).toBe(400);
      expect((await rotateBy(person, id, { overlapSeconds: 0 })).status).toBe(200);
    }
    const refused = await rotateBy(person, id, { overlapSeconds: 0 });
    expect([refused.status, refused.body.code, Number(refused.headers.get("retry-after")) > 3000]).toEqual([
      429,
      "RATE_LIMITED",
      true,
    ]);
    const other = await subscribe(person, newInbox("200").url);
    expect((await rotateBy(person, other)).status).toBe(200);
  });
});

describe("the signatures of a delivery", () => {
  test.each([0, 1, 3])("with %i old secrets: each secret alone verifies, newest first", async (count) => {
    const hook = await newSubscription();
    const secrets = SECRETS.slice(0, count + 1);
    for (const secret of secrets.slice(1)) await rotateBy(hook.person, hook.id, { secret });
    const request = await sendOne(hook);
    const signatures = request.headers["webhook-signature"]?.split(" ") ?? [];
    expect(signatures).toHaveLength(count + 1);
    for (const [index, secret] of secrets.toReversed().entries()) {
      const alone = { ...request.headers, "webhook-signature": signatures[index] ?? "" };
      expect(await verifies({ ...request, headers: alone }, secret)).toBe(true);
    }
    const newest = secrets.at(-1) ?? "";
    expect(request.headers["x-webhook-signature"]).toBe(await bodySignature(newest, request.body));
    expect(await verifies(request, "another secret")).toBe(false);
  });

  test("carry an old secret to the last millisecond of its overlap, and not after", async () => {
    const hook = await newSubscription();
    await rotateBy(hook.person, hook.id, { secret: SECRETS[1], overlapSeconds: 3600 });
    const endsAt = await deliveryDb
      .prepare("SELECT expires_at AS at FROM signing_keys WHERE subscription_id = ?")
      .bind(hook.id)
      .first<number>("at");
    for (const [offsetMs, expected] of [
      [-1, true],
      [1, false],
    ] as const) {
      vi.useFakeTimers({ toFake: ["Date"], now: (endsAt ?? 0) + offsetMs });
      const request = await sendOne(hook);
      expect([await verifies(request, SECRETS[0]), await verifies(request, SECRETS[1])]).toEqual([expected, true]);
    }
  });

  test("of a retry that was owed before the rotation verify with both secrets", async () => {
    const person = await signUp();
    const inbox = newInbox("500");
    const id = await subscribe(person, inbox.url, { secret: SECRETS[0] });
    const key = await addDelivery(person, id);
    await consumeBatch([messageFor(key)]);
    await rotateBy(person, id, { secret: SECRETS[1] });
    await consumeBatch([messageFor(await makeDue(await keyNow(key)))], "postern-deliveries-slow");
    const [first, retried] = await inbox.arrived(2);
    if (!first || !retried) throw new Error("no retry");
    expect(first.headers["webhook-id"]).toBe(retried.headers["webhook-id"]);
    expect([await verifies(first, SECRETS[0]), await verifies(first, SECRETS[1])]).toEqual([true, false]);
    expect([await verifies(retried, SECRETS[0]), await verifies(retried, SECRETS[1])]).toEqual([true, true]);
  });

  test("are accepted by the official library with the old and with the new secret, Ed25519 signatures beside them", async () => {
    const hook = await newSubscription({ secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" });
    const changed = { delivery: { signature: "v1+v1a" } };
    await call("PATCH", `/webhooks/${hook.id}`, { token: hook.person.token, body: changed });
    const rotated = await rotateBy(hook.person, hook.id);
    const { headers, body } = await sendOne(hook);
    expect(headers["webhook-signature"]?.split(" ").map((signature) => signature.split(",")[0])).toEqual([
      "v1",
      "v1",
      "v1a",
    ]);
    for (const secret of ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", rotated.body.data.secret]) {
      expect(new Webhook(secret).verify(body, headers)).toBe(1);
    }
    expect(() => new Webhook("whsec_b25jZSB1cG9uIGEgdGltZSwgYSBrZXkgbGl2ZWQ=").verify(body, headers)).toThrow();
  });
});

describe("old secrets end", () => {
  test("at once by DELETE, which also answers 200 when there is nothing to end", async () => {
    const hook = await newSubscription();
    const { person, id } = hook;
    await rotateBy(person, id, { secret: SECRETS[1] });
    for (let times = 0; times < 2; times += 1) {
      const ended = await end(person, id);
      expect([ended.status, ended.body]).toEqual([200, { message: "Previous secrets ended" }]);
    }
    expect((await read(person, id)).version).toBe(2);
    const request = await sendOne(hook);
    expect([await verifies(request, SECRETS[0]), await verifies(request, SECRETS[1])]).toEqual([false, true]);
  });

  test("at once when PATCH sets a secret, the present one too", async () => {
    const hook = await newSubscription();
    await rotateBy(hook.person, hook.id, { secret: SECRETS[1] });
    await call("PATCH", `/webhooks/${hook.id}`, { token: hook.person.token, body: { secret: SECRETS[2] } });
    const request = await sendOne(hook);
    const verified = await Promise.all(SECRETS.slice(0, 3).map((secret) => verifies(request, secret)));
    expect(verified).toEqual([false, false, true]);
  });

  test("not when PATCH gives the present secret again", async () => {
    const hook = await newSubscription();
    await rotateBy(hook.person, hook.id, { secret: SECRETS[1] });
    await call("PATCH", `/webhooks/${hook.id}`, {
      token: hook.person.token,
      body: { secret: SECRETS[1], name: "renamed" },
    });
    const request = await sendOne(hook);
    expect([await verifies(request, SECRETS[0]), await verifies(request, SECRETS[1])]).toEqual([true, true]);
  });

  test("for good by the hourly cron, which removes what has expired and nothing else", async () => {
    const { person, id } = await newSubscription();
    await rotateBy(person, id, { secret: SECRETS[1], overlapSeconds: 1 });
    await rotateBy(person, id, { secret: SECRETS[2], overlapSeconds: 604_800 });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1001 });
    await hourly();
    const { results } = await deliveryDb
      .prepare("SELECT sealed <> '' AS has FROM signing_keys WHERE subscription_id = ? ORDER BY id")
      .bind(id)
      .all<{ has: 0 | 1 }>();
    expect(results).toEqual([{ has: 0 }, { has: 1 }]);
  });

  test("with the subscription", async () => {
    const { person, id } = await newSubscription();
    await rotateBy(person, id);
    await call("DELETE", `/webhooks/${id}`, { token: person.token });
    const { results } = await deliveryDb.prepare("SELECT 1 FROM signing_keys WHERE subscription_id = ?").bind(id).all();
    expect(results).toEqual([]);
  });

  test("and only the last 20 are remembered", async () => {
    const { person, id } = await newSubscription();
    await rotateBy(person, id);
    for (let number = 0; number < 25; number += 1) {
      await call("PATCH", `/webhooks/${id}`, { token: person.token, body: { secret: `secret ${number}` } });
    }
    const count = await deliveryDb
      .prepare("SELECT count(*) AS n FROM signing_keys WHERE subscription_id = ?")
      .bind(id)
      .first("n");
    expect(count).toBe(20);
  });
});

describe("the attempt page", () => {
  const opened = async ({ person, id }: { person: Person; id: string }, index: number) => {
    const log = await endedAttempts(person, id, 1);
    const attempt = log.toReversed()[index];
    return (await call("GET", `/webhooks/${id}/attempts/${attempt._id}`, { token: person.token })).body.data;
  };
  const signatures = ({ headers }: { headers: Record<string, string> }) => ({
    standard: headers["webhook-signature"],
    body: headers["X-Webhook-Signature"] ?? headers["x-webhook-signature"],
  });

  test("shows the signatures as they were, before, during and after an overlap", async () => {
    const hook = await newSubscription();
    const start = Date.now();
    const at = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: start + ms });
    at(10);
    const before = await sendOne(hook);
    at(1000);
    await rotateBy(hook.person, hook.id, { secret: SECRETS[1], overlapSeconds: 60 });
    at(1010);
    const during = await sendOne(hook);
    at(120_000);
    const after = await sendOne(hook);
    for (const [index, request] of [before, during, after].entries()) {
      const shown = await opened(hook, index);
      expect([signatures(shown), shown.missingSignatures]).toEqual([signatures(request), undefined]);
    }
    await hourly();
    expect(await opened(hook, 0)).toMatchObject({ missingSignatures: "secret-ended" });
    expect((await opened(hook, 0)).headers).not.toHaveProperty("webhook-signature");
    const cut = await opened(hook, 1);
    expect([cut.missingSignatures, cut.headers["webhook-signature"]]).toEqual([
      "secret-ended",
      during.headers["webhook-signature"]?.split(" ")[0],
    ]);
    expect((await opened(hook, 2)).missingSignatures).toBeUndefined();
  });

  test("shows no signature of a secret that PATCH has ended, and none after a change of the signature", async () => {
    const hook = await newSubscription();
    await sendOne(hook);
    await scheduler.wait(5);
    const patch = (body: object) => call("PATCH", `/webhooks/${hook.id}`, { token: hook.person.token, body });
    await patch({ secret: SECRETS[1] });
    expect(await opened(hook, 0)).toMatchObject({ missingSignatures: "secret-ended" });
    await patch({ delivery: { signature: "v1+v1a" } });
    const changed = await opened(hook, 0);
    expect(changed.missingSignatures).toBe("settings-changed");
    expect(Object.keys(changed.headers)).not.toContain("webhook-signature");
    await scheduler.wait(5);
    const request = await sendOne(hook);
    const shown = await opened(hook, 1);
    expect(signatures(shown)).toEqual(signatures(request));
  });
});
