/** The audit log as a file, in both formats. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { newIdAt } from "../../src/base/db/ids";
import { CSV_HEADER, csvLine } from "../../src/tenancy/audit/csv";
import type { AuditEvent } from "../../src/tenancy/audit/schemas";
import { call, type Person, signUp } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const DAY_MS = 86_400_000;
const MAX_DAYS = 31;

const exported = ({ token }: Pick<Person, "token">, query = "") => call("GET", `/audit/export?${query}`, { token });
const at = (ms: number) => new Date(ms).toISOString();

test("NDJSON has the events of the list, a line each, newest first", async () => {
  const owner = await signUp();
  await subscribe(owner, newInbox("200").url);
  await call("POST", "/api-keys", { token: owner.token, body: { name: "k", scopes: ["audit.read"] } });
  const { headers, body } = await exported(owner);
  expect(headers.get("content-type")).toBe("application/x-ndjson; charset=utf-8");
  expect(headers.get("content-disposition")).toBe('attachment; filename="audit.ndjson"');
  const lines = (body as string)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toEqual((await call("GET", "/audit", { token: owner.token })).body.data);
});

test("it goes on beyond one page, and has each event once", async () => {
  const owner = await signUp();
  const ids = Array.from({ length: 6_000 }, (_, n) => newIdAt(Date.now() - DAY_MS + n));
  for (const database of new Set([env.DB, deliveryDb])) {
    await database
      .prepare(
        `INSERT INTO audit_events (tenant_id, id, action, actor_kind) SELECT ?, value, 'session.revoked', 'system'
          FROM json_each(?)`,
      )
      .bind(owner.tenantId, JSON.stringify(ids.splice(0, 3_000)))
      .run();
  }
  const lines = ((await exported(owner, "format=csv")).body as string).trimEnd().split("\r\n");
  expect(lines).toHaveLength(6_000 - ids.length + 2);
  expect(new Set(lines).size).toBe(lines.length);
});

describe("the period", () => {
  test("is 31 days at most", async () => {
    const owner = await signUp();
    const now = Date.now();
    for (const [since, until] of [
      [now - (MAX_DAYS + 1) * DAY_MS, now],
      [now, now],
      [now, now - DAY_MS],
    ] as const) {
      const refused = await exported(owner, `since=${at(since)}&until=${at(until)}`);
      expect([refused.status, refused.body.details[0].path]).toEqual([400, "since"]);
    }
    const accepted = await exported(owner, `since=${at(now - MAX_DAYS * DAY_MS)}&until=${at(now)}`);
    expect(accepted.status).toBe(200);
  });

  test("leaves out what is older or newer", async () => {
    const owner = await signUp();
    const now = Date.now();
    const within = newIdAt(now - 1.5 * DAY_MS);
    for (const id of [newIdAt(now - 2.5 * DAY_MS), within, newIdAt(now - 0.5 * DAY_MS)]) {
      const event = env.DB.prepare(
        "INSERT INTO audit_events (tenant_id, id, action, actor_kind) VALUES (?, ?, 'session.revoked', 'system')",
      );
      await event.bind(owner.tenantId, id).run();
    }
    const { body } = await exported(owner, `since=${at(now - 2 * DAY_MS)}&until=${at(now - DAY_MS)}`);
    expect(JSON.parse(body as string).id).toBe(within);
  });
});

test("shows nothing of another tenant, and needs audit.read", async () => {
  const [one, other] = [await signUp(), await signUp()];
  const { body } = await exported(other);
  expect(body).toContain(other.userId);
  expect(body).not.toContain(one.userId);
  const key = await call("POST", "/api-keys", { token: one.token, body: { name: "k", scopes: ["webhook.read"] } });
  expect((await exported({ token: key.body.data.key })).body.code).toBe("FORBIDDEN");
});

test("CSV made of a user agent never begins a cell with a formula", async () => {
  const owner = await signUp();
  for (const attack of ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(1)", "＝1", '"=1', "\t=1"]) {
    await call("POST", "/api-keys", {
      token: owner.token,
      body: { name: "k", scopes: ["audit.read"] },
      headers: { "user-agent": attack },
    });
  }
  const csv = (await exported(owner, "format=csv")).body as string;
  expect(csv.startsWith(CSV_HEADER)).toBe(true);
  expect(csv).toContain(`"'=cmd|'/C calc'!A0"`);
  expect(csv).not.toMatch(/(^|,)"?[=+\-@＝]/m);
});

test.each(["=1", "+1", "-1", "@1", "\t1", "\r1", "\n1", "＝1", "＋1", "－1", "＠1"])(
  "the cell %j gets an apostrophe, and quotes are doubled",
  (text) => {
    const event = {
      actor: { kind: "user", id: null, name: `${text}"` },
      target: null,
      meta: null,
    } as unknown as AuditEvent;
    expect(csvLine(event)).toContain(`"'${text}"""`);
  },
);
