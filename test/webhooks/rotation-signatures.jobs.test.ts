/** The signatures of deliveries around a rotation, and how the page of an attempt shows them. */
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { toHex, utf8 } from "../../src/base/crypto/encoding";
import { call, type Person, signUp } from "../support/client";
import { addDelivery, consumeBatch, hourly, keyNow, makeDue, messageFor } from "../support/engine";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";
import { newSubscription, rotateBy, SECRETS } from "../support/rotation";
import { deliveryDb } from "../support/shard";
import { sendOne, verifies } from "../support/signed";

afterEach(() => vi.useRealTimers());

const bodySignature = async (secret: string, body: string) => {
  const key = await crypto.subtle.importKey("raw", utf8(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(body))));
};

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
