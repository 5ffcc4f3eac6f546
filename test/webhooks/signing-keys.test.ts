/** Ed25519 keys: made on first use, published for subscribers, rotated without a delivery that nobody can verify. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { calculateJwkThumbprint } from "jose";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import type { VerificationKeys } from "../../src/sdk/verify";
import { publicKeysOf } from "../../src/webhooks/signing/public-keys";
import { call, type Person, signUp } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { sendOne, verifies } from "../support/signed";

afterEach(() => vi.useRealTimers());

const MINUTE_MS = 60_000;
const BOTH = { delivery: { signature: "v1+v1a" } };

async function newSubscription(fields: Record<string, unknown> = BOTH) {
  const person = await signUp();
  const inbox = newInbox("200");
  return { person, inbox, id: await subscribe(person, inbox.url, fields) };
}

const patch = ({ person, id }: { person: Person; id: string }, body: object) =>
  call("PATCH", `/webhooks/${id}`, { token: person.token, body });
const rotateKey = ({ person, id }: { person: Person; id: string }, body: object = {}) =>
  call("POST", `/webhooks/${id}/secret/rotate`, { token: person.token, body: { kind: "v1a", ...body } });
const published = (id: string, headers = {}) => call("GET", `//.well-known/webhook-keys/${id}`, { headers });
/** As published now, past the cache. */
const keysNow = async (id: string) => publicKeysOf(await createDeps(env, createExecutionContext()), id);
const moveClock = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

describe("/.well-known/webhook-keys/:id", () => {
  test("gives the public key as a JWK with its thumbprint and as whpk_, to anybody, for ten minutes", async () => {
    const { id } = await newSubscription();
    const { status, headers, body } = await published(id);
    expect([status, headers.get("cache-control"), headers.get("content-type")]).toEqual([
      200,
      "public, max-age=600",
      "application/json",
    ]);
    const [key] = body.keys;
    expect(body).toEqual({
      keys: [{ kty: "OKP", crv: "Ed25519", use: "sig", alg: "EdDSA", x: expect.any(String), kid: expect.any(String) }],
      whpk: [expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)],
    });
    expect(key.kid).toBe(await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x: key.x }));
    expect(body.whpk[0].slice(5).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")).toBe(key.x);
  });

  test("answers the same 404 for an unknown id, a malformed one, a subscription without keys, and a deleted one", async () => {
    const without = await newSubscription({});
    const deleted = await newSubscription();
    await call("DELETE", `/webhooks/${deleted.id}`, { token: deleted.person.token });
    for (const id of [crypto.randomUUID(), "x", "%00", without.id, deleted.id]) {
      const { status, headers, body } = await published(id);
      expect([id, status, body.code, body.message]).toEqual([id, 404, "NOT_FOUND", "Public keys not found"]);
      expect(headers.get("cache-control") ?? "").not.toContain("public");
    }
  });

  test("is limited to 120 requests in 60 seconds and IP address, cached answers included", async () => {
    const { id } = await newSubscription();
    const left = async () => {
      const { headers } = await published(id);
      return [headers.get("ratelimit-limit"), Number(headers.get("ratelimit-remaining"))] as const;
    };
    const [[limit, first], [, second]] = [await left(), await left()];
    expect([limit, second]).toEqual(["120", first - 1]);
  });

  test("is answered from the edge's cache, which a query string does not go round", async () => {
    const { id } = await newSubscription();
    const first = await published(id);
    await deliveryDb.prepare("DELETE FROM signing_keys WHERE subscription_id = ?").bind(id).run();
    expect((await published(id)).body).toEqual(first.body);
    expect((await published(`${id}?x=1`)).body).toEqual(first.body);
  });

  test("never has a private key, nor anything of the tenant", async () => {
    const { person, id } = await newSubscription();
    const text = JSON.stringify((await published(id)).body);
    expect(text).not.toContain('"d"');
    expect(text).not.toContain(person.tenantId);
    const { results } = await deliveryDb.prepare("SELECT * FROM signing_keys WHERE subscription_id = ?").bind(id).all();
    expect(results).toHaveLength(1);
    // The head of an Ed25519 private key in PKCS #8.
    expect(JSON.stringify(results)).not.toContain("MC4CAQAwBQYDK2Vw");
  });
});

describe("delivery.signature", () => {
  test("v1+v1a adds a signature that the public key and the key set verify; v1 takes it away", async () => {
    const hook = await newSubscription({ secret: "a-signing-secret" });
    expect((await sendOne(hook)).headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    const changed = await patch(hook, BOTH);
    expect(changed.body.data).toMatchObject({ ...BOTH, version: 1 });
    const request = await sendOne(hook);
    expect(request.headers["webhook-signature"]).toMatch(/^v1,\S+ v1a,\S+$/);
    const { keys, whpk } = await keysNow(hook.id);
    const jwks = "https://postern.test/keys";
    const fetchKeys = async () => Response.json({ keys });
    expect(await verifies(request, whpk)).toBe(true);
    expect(await verifies(request, { jwks, fetch: fetchKeys } as VerificationKeys)).toBe(true);
    expect(await verifies(request, "a-signing-secret")).toBe(true);
    expect(await verifies({ ...request, body: "2" }, whpk)).toBe(false);
    const reset = await patch(hook, { delivery: { signature: "v1" } });
    expect(reset.body.data).not.toHaveProperty("delivery");
    expect((await sendOne(hook)).headers["webhook-signature"]).toMatch(/^v1,\S+$/);
    await patch(hook, BOTH);
    expect((await keysNow(hook.id)).whpk).toEqual(whpk);
  });

  test("makes one key, however many ask for it at once", async () => {
    const hook = await newSubscription({});
    await Promise.all(Array.from({ length: 10 }, () => patch(hook, BOTH)));
    expect((await keysNow(hook.id)).keys).toHaveLength(1);
  });

  test.each([["v1a"], ["V1"], [1]])("%j is refused with 400", async (signature) => {
    const hook = await newSubscription({});
    expect((await patch(hook, { delivery: { signature } })).status).toBe(400);
  });
});

describe("rotating the Ed25519 key", () => {
  test("publishes the next key 20 minutes before it signs; then both sign until the overlap is over", async () => {
    const hook = await newSubscription();
    const [old = ""] = (await keysNow(hook.id)).whpk;
    const rotated = await rotateKey(hook, { overlapSeconds: 3600 });
    expect([rotated.status, rotated.body.data.version]).toEqual([200, 1]);
    const during = await keysNow(hook.id);
    const [next = "", former] = during.whpk;
    const expMs = Date.parse(rotated.body.secretRotation.previousExpireAt[0]);
    expect([former, during.keys.map(({ exp }) => exp)]).toEqual([old, [undefined, Math.ceil(expMs / 1000)]]);
    expect(expMs).toBe(Date.parse(rotated.body.data.updatedAt) + 80 * MINUTE_MS);
    const verifiedBy = async () => {
      const request = await sendOne(hook);
      return [await verifies(request, next), await verifies(request, old)];
    };
    expect(await verifiedBy()).toEqual([false, true]);
    moveClock(19 * MINUTE_MS);
    expect(await verifiedBy()).toEqual([false, true]);
    moveClock(2 * MINUTE_MS);
    expect(await verifiedBy()).toEqual([true, true]);
    moveClock(60 * MINUTE_MS);
    expect(await verifiedBy()).toEqual([true, false]);
    expect((await keysNow(hook.id)).whpk).toEqual([next]);
  });

  test("ends the old key at once by DELETE, and the next one signs at once", async () => {
    const hook = await newSubscription();
    const [old = ""] = (await keysNow(hook.id)).whpk;
    await rotateKey(hook);
    await call("DELETE", `/webhooks/${hook.id}/secret/previous`, { token: hook.person.token });
    const { whpk } = await keysNow(hook.id);
    expect([whpk.length, whpk.includes(old)]).toEqual([1, false]);
    const request = await sendOne(hook);
    expect([await verifies(request, whpk), await verifies(request, old)]).toEqual([true, false]);
  });

  test("is refused with 400 while the signature is v1, and with 409 beyond 3 old keys or at the same time", async () => {
    const hook = await newSubscription();
    const together = await Promise.all([rotateKey(hook), rotateKey(hook)]);
    expect(together.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect([(await rotateKey(hook)).status, (await rotateKey(hook)).status]).toEqual([200, 200]);
    const fourth = await rotateKey(hook);
    expect([fourth.status, fourth.body.message]).toEqual([
      409,
      "A subscription can have at most 3 old public keys. Wait until one ends, or end them.",
    ]);
    await patch(hook, { delivery: null });
    expect((await rotateKey(hook)).body.details).toEqual([
      { path: "kind", message: 'Set delivery.signature to "v1+v1a" first' },
    ]);
  });
});
