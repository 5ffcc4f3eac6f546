/** What is old goes, in the order of age; what is young or under way stays, and the counters stay right. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, type Person, signUp } from "./support/client";
import { hourly } from "./support/engine";
import { endedAttempts, newInbox, publish, subscribe } from "./support/receiver";

const DAY_MS = 86_400_000;

/** Moves everything of a tenant into the past. */
async function age(person: Person, days: number): Promise<void> {
  const by = days * DAY_MS;
  await env.DB.batch(
    [
      "UPDATE attempts SET attempted_at = attempted_at - ?1 WHERE tenant_id = ?2",
      "UPDATE deliveries SET created_at = created_at - ?1 WHERE tenant_id = ?2",
      "UPDATE events SET created_at = created_at - ?1 WHERE tenant_id = ?2",
    ].map((statement) => env.DB.prepare(statement).bind(by, person.tenantId)),
  );
}

async function rows(person: Person) {
  const count = (table: string) =>
    env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE tenant_id = ?`).bind(person.tenantId).first<number>("n");
  return [await count("attempts"), await count("deliveries"), await count("events")];
}

const metrics = async (person: Person, id: string) =>
  (await call("GET", `/webhooks/${id}/metrics`, { token: person.token })).body.data;

describe("retention", () => {
  test("what is older than RETENTION_DAYS goes, what is younger stays, metrics count what is left", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    for (let n = 1; n <= 3; n += 1) {
      await publish(person, n);
      await endedAttempts(person, id, n);
    }
    await age(person, 29);
    await hourly();
    expect(await rows(person)).toEqual([3, 3, 3]);
    await age(person, 2);
    await publish(person, "young");
    await endedAttempts(person, id, 4);
    expect(await metrics(person, id)).toEqual({ total: 4, success: 4, failed: 0, pending: 0 });
    await hourly();
    expect(await rows(person)).toEqual([1, 1, 1]);
    expect(await metrics(person, id)).toEqual({ total: 1, success: 1, failed: 0, pending: 0 });
  });

  test("an event stays while a delivery of it is not done", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("500").url);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await age(person, 40);
    await hourly();
    expect(await rows(person)).toEqual([0, 1, 1]);
    expect(await metrics(person, id)).toEqual({ total: 0, success: 0, failed: 0, pending: 0 });
    await env.DB.prepare("UPDATE deliveries SET due_at = NULL, sweep_at = NULL WHERE tenant_id = ?")
      .bind(person.tenantId)
      .run();
    await hourly();
    expect(await rows(person)).toEqual([0, 0, 0]);
  });

  test("a delivery that was sent again of late stays, and its event, as long as its last attempt does", async () => {
    const person = await signUp();
    const id = await subscribe(person, newInbox("200").url);
    await publish(person, 1);
    await endedAttempts(person, id, 1);
    await age(person, 40);
    await env.DB.prepare("UPDATE attempts SET attempted_at = ? WHERE tenant_id = ?")
      .bind(Date.now(), person.tenantId)
      .run();
    await hourly();
    expect(await rows(person)).toEqual([1, 1, 1]);
  });

  test("more than a page goes in one run, and old unfinished rows at the front do not stop it", async () => {
    const person = await signUp();
    const many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)";
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, due_at, created_at)
         ${many} SELECT 'open-' || i, ?1, 'none', 'none', 'event', 1, 1 FROM n`,
      ).bind(person.tenantId),
      env.DB.prepare(
        `INSERT INTO deliveries (id, tenant_id, subscription_id, event_id, kind, created_at)
         ${many} SELECT 'done-' || i, ?1, 'none', 'none', 'event', 1 FROM n`,
      ).bind(person.tenantId),
    ]);
    await hourly();
    expect(await rows(person)).toEqual([0, 1300, 0]);
  });
});
