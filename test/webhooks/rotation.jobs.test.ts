/** Rotating a subscription's secret: old and new sign together for a while, and what ends an old one. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, type Person, setRole, signUp } from "../support/client";
import { hourly } from "../support/engine";
import { readHook } from "../support/hook";
import { newInbox, subscribe } from "../support/receiver";
import { newSubscription, rotateBy, SECRETS } from "../support/rotation";
import { deliveryDb } from "../support/shard";
import { sendOne, verifies } from "../support/signed";

afterEach(() => vi.useRealTimers());

const DAY_MS = 86_400_000;

const end = (person: Person, id: string) => call("DELETE", `/webhooks/${id}/secret/previous`, { token: person.token });

describe("a rotation", () => {
  test("answers with the new secret, when the old one ends, and the next version", async () => {
    const { person, id } = await newSubscription();
    const { status, body } = await rotateBy(person, id, { secret: SECRETS[1], overlapSeconds: 60 });
    expect([status, body.data]).toEqual([200, { ...(await readHook({ person, id })), secret: SECRETS[1], version: 1 }]);
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
    expect(await readHook({ person, id })).toMatchObject({ secret: SECRETS[0], version: 0 });
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
    expect(await readHook({ person, id })).toMatchObject({ secret: SECRETS[0], version: 0 });
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
      const { secret } = await readHook({ person, id });
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

describe("old secrets end", () => {
  test("at once by DELETE, which also answers 200 when there is nothing to end", async () => {
    const hook = await newSubscription();
    const { person, id } = hook;
    await rotateBy(person, id, { secret: SECRETS[1] });
    for (let times = 0; times < 2; times += 1) {
      const ended = await end(person, id);
      expect([ended.status, ended.body]).toEqual([200, { message: "Previous secrets ended" }]);
    }
    expect((await readHook({ person, id })).version).toBe(2);
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
