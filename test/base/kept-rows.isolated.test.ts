/** What has ended is kept for a while. Whoever makes and ends things all the time fills no database with them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { MAX_SHARD_BYTES, noteSize } from "../../src/base/db/shard-sizes-store";
import { createDeps } from "../../src/base/deps";
import { CAPS, type CapName, KEPT_PER_USED } from "../../src/base/limits/caps";
import { RULES } from "../../src/base/limits/rules";
import { MAX_ENDED } from "../../src/identity/portal/store";
import { MAX_BYTES } from "../../src/service/imports/store";
import { MAX_FORMER } from "../../src/webhooks/feeds/tokens-store";
import { MAX_JOBS } from "../../src/webhooks/resend/replays/store";
import { newEmail, type Person, signUpVerified } from "../support/client";
import { costOf } from "../support/cost";
import { createFeed } from "../support/feeds";
import { callImports, sendPeople } from "../support/imports";
import { callUnder } from "../support/overrides";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox, subscribe } from "../support/receiver";
import { hourAgo, replay } from "../support/replays";
import { deliveryDb } from "../support/shard";

const CAP = 10;
const PARALLEL = 20;
const UNLIMITED = JSON.stringify(
  Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, { ...rule, limit: 10_000 }])),
);
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const ids = (count: number, atMs = Date.now()) => JSON.stringify(times(count, () => newIdAt(atMs)));

const post = (person: Person, cap: CapName, path: string, body: object) =>
  callUnder(
    { RATE_LIMITS: UNLIMITED, [CAPS[cap].variable]: String(CAP) },
    { path: `/api/v1${path}`, token: person.token, body },
  );

/** The answers by their status: how many succeeded, and what the others were told. */
function outcome(answers: { status: number; body: { code: string; message: string } }[]) {
  const refused = answers.filter(({ status }) => status >= 400);
  return [answers.length - refused.length, [...new Set(refused.map(({ body }) => `${body.code}: ${body.message}`))]];
}

const count = async (database: D1Database, table: string, column: string, value: string) =>
  (await database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${column} = ?`).bind(value).first<number>("n")) ??
  0;

describe("of 20 at once, only those are made for which there is room beside what has ended", () => {
  const deleteSubscriptions = (person: Person, deleted: number) =>
    deliveryDb
      .prepare(
        `INSERT INTO subscriptions (id, tenant_id, name, url, events, secret_sealed, secret_digest, enabled, is_deleted,
           created_at, updated_at) SELECT value, ?1, '', '', '[]', '', '', 0, 1, 1, 1 FROM json_each(?2)`,
      )
      .bind(person.tenantId, ids(deleted))
      .run();
  const FULL = [
    "CONFLICT: A tenant can have at most 1000 subscriptions and listeners, with those that have ended lately.",
  ];

  test("subscriptions", async () => {
    const person = await signUpVerified();
    await deleteSubscriptions(person, CAP * KEPT_PER_USED - 4);
    const body = { name: "shop", url: "https://shop.example/hook", events: ["OrderPaid"], secret: "hush" };
    const answers = await Promise.all(times(PARALLEL, () => post(person, "subscriptions", "/webhooks", body)));
    expect(outcome(answers)).toEqual([4, FULL]);
  });

  test("listeners", async () => {
    const person = await signUpVerified();
    await deleteSubscriptions(person, CAP * KEPT_PER_USED - 2);
    const body = { name: "laptop", events: ["*"] };
    const answers = await Promise.all(times(5, () => post(person, "subscriptions", "/listen", body)));
    expect(outcome(answers)).toEqual([2, FULL]);
  });

  test("API keys", async () => {
    const person = await signUpVerified();
    await env.DB.prepare(
      `INSERT INTO api_keys (id, tenant_id, user_id, name, prefix, key_hash, scopes, created_at, revoked_at)
       SELECT value, ?1, ?2, 'old', 'ak_', value, '[]', 1, 1 FROM json_each(?3)`,
    )
      .bind(person.tenantId, person.userId, ids(CAP * KEPT_PER_USED - 4))
      .run();
    const body = { name: "ci", scopes: ["webhook.read"] };
    const answers = await Promise.all(times(PARALLEL, () => post(person, "apiKeys", "/api-keys", body)));
    expect(outcome(answers)).toEqual([
      4,
      ["CONFLICT: A user can have at most 1000 API keys, with those that have ended lately."],
    ]);
  });

  test("replays of a subscription in 24 hours; the newest thousand are kept", async () => {
    const person = await signUpVerified();
    const id = await subscribe(person, newInbox("200").url);
    const insert = (madeAt: number, made: number) =>
      deliveryDb
        .prepare(
          `INSERT INTO replay_jobs (subscription_id, id, tenant_id, spec, state, cursor, paced_at, created_at)
           SELECT ?1, value, ?2, '{}', 'stopped', '', 1, 1 FROM json_each(?3)`,
        )
        .bind(id, person.tenantId, ids(made, madeAt))
        .run();
    await insert(Date.now() - 2 * 86_400_000, 5);
    await insert(Date.now(), MAX_JOBS - 1);
    const begin = () => replay(person, id, { since: hourAgo(), which: "all" });
    const answers = await Promise.all(times(PARALLEL, begin));
    expect(answers.filter(({ status }) => status === 201 || status === 202)).toHaveLength(1);
    expect(await count(deliveryDb, "replay_jobs", "subscription_id", id)).toBe(MAX_JOBS);
    await deliveryDb.prepare("UPDATE replay_jobs SET state = 'stopped' WHERE subscription_id = ?").bind(id).run();
    expect(await begin()).toMatchObject({
      status: 409,
      body: { message: "A webhook can have at most 1000 replays in 24 hours." },
    });
  });

  test("parts of imports, by their bytes", async () => {
    const { body } = await callImports("POST", "", { name: "large" });
    const line = JSON.stringify({ email: newEmail() });
    const room = 4 * line.length;
    await env.DB.prepare("INSERT INTO import_parts (import_id, part, hash, rows, bytes) VALUES (?, 1000, '', 1, ?)")
      .bind(body.data.id, MAX_BYTES - room)
      .run();
    const send = (part: number) => sendPeople("PUT", `/${body.data.id}/parts/${part}`, line);
    const answers = await Promise.all(times(PARALLEL, (n) => send(n + 1)));
    expect(outcome(answers)).toEqual([4, ["CONFLICT: All imports together can have at most 2 GiB that are not done."]]);
    expect(await count(env.DB, "import_chunks", "import_id", body.data.id)).toBe(4);
    const first = answers.findIndex(({ status }) => status < 400) + 1;
    expect((await send(first)).status).toBe(200);
    expect(await count(env.DB, "import_chunks", "import_id", body.data.id)).toBe(4);
  });
});

describe("the oldest gives way", () => {
  test("of the former tokens of a feed", async () => {
    const person = await signUpVerified();
    const feed = await createFeed(person);
    const rotate = () =>
      callUnder(
        { RATE_LIMITS: UNLIMITED },
        { path: `/api/v1/feeds/${feed.id}/token`, token: person.token, body: { overlapSeconds: 3_600 } },
      );
    const answers = await Promise.all(times(PARALLEL, rotate));
    expect(answers.map(({ status }) => status)).toEqual(times(PARALLEL, () => 200));
    expect(await count(env.DB, "feed_tokens", "feed_id", feed.id)).toBe(MAX_FORMER + 1);
  });

  test("of the portal links that have ended", async () => {
    const person = await signUpVerified();
    await env.DB.prepare(
      `INSERT INTO portal_links (id, tenant_id, kind, hash, maker_kind, maker_id, permissions, created_at, expires_at)
       SELECT value, ?1, 'link', value, 'user', ?2, '[]', 1, 1 + key FROM json_each(?3)`,
    )
      .bind(person.tenantId, person.userId, ids(MAX_ENDED + 50))
      .run();
    const body = { permissions: ["webhook.read"] };
    const answers = await Promise.all(times(PARALLEL, () => post(person, "members", "/portal-links", body)));
    expect(answers.map(({ status }) => status)).toEqual(times(PARALLEL, () => 201));
    expect(await count(env.DB, "portal_links", "tenant_id", person.tenantId)).toBe(MAX_ENDED + PARALLEL);
    const oldest = await env.DB.prepare("SELECT min(expires_at) AS at FROM portal_links WHERE tenant_id = ?")
      .bind(person.tenantId)
      .first<number>("at");
    expect(oldest).toBe(51);
  });
});

test("the bound costs who is far from it no trip and no written row", async () => {
  const { token } = await signUpVerified();
  const costs = async (path: string, body: object) => {
    const { status, trips, rowsWritten } = await costOf("POST", path, { token, body });
    return [path, status, trips, rowsWritten];
  };
  const url = "https://shop.example/hook";
  expect([
    await costs("/webhooks", { name: "shop", url, events: ["OrderPaid"], secret: "hush" }),
    await costs("/listen", { name: "laptop", events: ["*"] }),
    await costs("/api-keys", { name: "ci", scopes: ["webhook.read"] }),
    await costs("/portal-links", { permissions: ["webhook.read"] }),
  ]).toEqual([
    ["/webhooks", 201, 2, 6],
    ["/listen", 201, 2, 8],
    ["/api-keys", 201, 2, 11],
    ["/portal-links", 201, 2, 6],
  ]);
});

test("a control plane above 95 % refuses what platform keys write with 503", async () => {
  const { key } = await newPlatformKey();
  const { db } = await createDeps(env, createExecutionContext());
  const create = () => callAs(key, "", "POST", "/platform/users", { email: newEmail() });
  await noteSize(db, 0, 0.96 * MAX_SHARD_BYTES, 1);
  expect((await create()).status).toBe(503);
  expect((await callAs(key, "", "GET", "/platform/users")).status).toBe(200);
  await noteSize(db, 0, 1, 1);
  expect((await create()).status).toBe(201);
});
