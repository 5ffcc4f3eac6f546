/** The header `Postern-Tenant`: which caller acts in which tenant. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { PLATFORM_SCOPES, type PlatformScope } from "../../src/base/schemas/platform-scopes";
import { publishEvents } from "../../src/webhooks/events/publish";
import { call, type Person, signUpVerified } from "../support/client";
import { named, operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox } from "../support/receiver";

const MISSING = "0190a0a0-0000-7000-8000-000000000000";
const EVENT = { type: "OrderPaid", payload: 1 };
const hook = () => ({ name: "hook", url: newInbox("200").url, events: ["*"], secret: "a secret" });

/** The routes that take API keys, with the scope of a platform key and a valid body. */
const ROUTES: [route: string, scope: PlatformScope, body?: () => unknown][] = [
  ["POST /webhooks", "webhooks.write", hook],
  ["GET /webhooks", "webhooks.read"],
  [`PATCH /webhooks/${MISSING}`, "webhooks.write", () => ({ name: "other" })],
  [`DELETE /webhooks/${MISSING}`, "webhooks.write"],
  [`POST /webhooks/${MISSING}/test`, "webhooks.write"],
  [`GET /webhooks/${MISSING}/logs`, "webhooks.read"],
  ["GET /stats", "webhooks.read"],
  ["GET /events", "webhooks.read"],
  ["POST /events", "events.publish", () => EVENT],
  ["POST /events/batch", "events.publish", () => ({ events: [EVENT, EVENT] })],
  ["POST /portal-links", "webhooks.read", () => ({ permissions: ["webhook.read"] })],
  ["POST /portal-tokens", "webhooks.read", () => ({ permissions: ["webhook.read"] })],
  ["GET /portal-links", "webhooks.read"],
  [`DELETE /portal-links/${MISSING}`, "webhooks.read"],
  ["GET /audit", "audit.read"],
];

let person: Person;
let all: string;
beforeAll(async () => {
  person = await signUpVerified();
  await env.DB.prepare("UPDATE tenants SET external_id = ? WHERE id = ?")
    .bind(`Shop-${person.tenantId}`, person.tenantId)
    .run();
  all = (await newPlatformKey()).key;
});
const send = (key: string, tenant: string, route: string, body?: unknown) => {
  const [method = "", path = ""] = route.split(" ");
  return callAs(key, tenant, method, path, body);
};

describe("a platform key", () => {
  test.each(ROUTES)(
    "%s: acts in the tenant that it names, by id or by the product's own id",
    async (route, _, body) => {
      const expected = route.includes(MISSING) ? [404] : [200, 201, 202];
      for (const tenant of [person.tenantId, `ext:Shop-${person.tenantId}`]) {
        expect(expected).toContain((await send(all, tenant, route, body?.())).status);
      }
    },
  );

  test.each(ROUTES)("%s: 400 without a name, 404 for a tenant that there is not", async (route, _, body) => {
    const unnamed = await send(all, "", route, body?.());
    expect([unnamed.status, unnamed.body.details?.[0].path]).toEqual([400, "Postern-Tenant"]);
    for (const tenant of [MISSING, "ext:nobody", `ext:shop-${person.tenantId}`, "x".repeat(4000)]) {
      const { status, body: answer } = await send(all, tenant, route, body?.());
      expect([status, answer.message]).toEqual([404, "Tenant not found"]);
    }
  });

  test("needs the scope of the route, before its tenant is looked at", async () => {
    for (const scope of PLATFORM_SCOPES) {
      const { key } = await newPlatformKey([scope]);
      for (const [route, needed, body] of ROUTES) {
        for (const tenant of [person.tenantId, MISSING, ""]) {
          const { status } = await send(key, tenant, route, body?.());
          expect([scope, route, tenant, status === 403]).toEqual([scope, route, tenant, scope !== needed]);
        }
      }
    }
  });

  test("with a list of tenants sees no other", async () => {
    const other = await signUpVerified();
    const { key } = await newPlatformKey(["events.publish", "webhooks.read"], { tenants: [person.tenantId] });
    expect((await send(key, person.tenantId, "POST /events", EVENT)).status).toBe(202);
    const { status, body } = await send(key, other.tenantId, "POST /events", EVENT);
    expect([status, body.message]).toEqual([404, "Tenant not found"]);
    expect((await send(key, "platform", "GET /webhooks")).status).toBe(403);
  });

  test("is refused in a suspended tenant, and where only people are served", async () => {
    const suspended = await signUpVerified();
    await env.DB.prepare("UPDATE tenants SET suspended_at = 1 WHERE id = ?").bind(suspended.tenantId).run();
    expect((await send(all, suspended.tenantId, "GET /webhooks")).status).toBe(403);
    for (const route of ["GET /auth/me", "GET /members", "GET /api-keys", "DELETE /tenant", "GET /operator/status"]) {
      for (const tenant of [person.tenantId, ""]) {
        expect([route, (await send(all, tenant, route)).status]).toEqual([route, 401]);
      }
    }
  });

  test("is the actor of what it does", async () => {
    const made = await send(all, person.tenantId, "POST /webhooks", hook());
    const { data } = (await call("GET", "/audit?limit=1", { token: person.token })).body;
    expect(data[0]).toMatchObject({
      action: "webhook.created",
      actor: { kind: "platform-key", name: "shop" },
      target: { id: made.body.data._id },
    });
  });

  test("publishes in a tenant that the product vouches for like in one with a verified owner", async () => {
    const { tenantId } = person;
    await env.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE id = ?").bind(person.userId).run();
    const vars = { RATE_LIMITS: JSON.stringify({ unverifiedEvents: { limit: 1, windowSeconds: 60 } }) };
    const publish = () =>
      callUnder(vars, {
        path: "/api/v1/events",
        token: all,
        body: EVENT,
        headers: { "postern-tenant": tenantId },
      });
    const statuses = [(await publish()).status, (await publish()).status];
    await env.DB.prepare("UPDATE tenants SET trusted_at = 1 WHERE id = ?").bind(tenantId).run();
    statuses.push((await publish()).status, (await publish()).status);
    await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?").bind(person.userId).run();
    expect(statuses).toEqual([202, 403, 202, 202]);
  });

  test("has a limit of its own for events, over all tenants, that counts each event of a batch", async () => {
    const [other, { key }] = [await signUpVerified(), await newPlatformKey(["events.publish"])];
    const vars = { RATE_LIMITS: JSON.stringify({ platformPublish: { limit: 5, windowSeconds: 60 } }) };
    const publish = (tenant: string, count: number) =>
      callUnder(vars, {
        path: "/api/v1/events/batch",
        token: key,
        body: { events: Array(count).fill(EVENT) },
        headers: { "postern-tenant": tenant },
      });
    expect((await publish(person.tenantId, 3)).status).toBe(202);
    expect((await publish(other.tenantId, 3)).status).toBe(429);
    expect((await publish(other.tenantId, 2)).status).toBe(202);
  });
});

describe("a session or an API key", () => {
  test("may name its own tenant, and no other", async () => {
    const { token, tenantId } = person;
    const { key } = (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read"] } })).body
      .data;
    const other = await signUpVerified();
    for (const credential of [token, key]) {
      for (const own of [tenantId, `ext:Shop-${tenantId}`, ""]) {
        expect((await send(credential, own, "GET /webhooks")).status).toBe(200);
      }
      for (const tenant of [other.tenantId, MISSING, "ext:", "ext:nobody", "platform"]) {
        const { status, body } = await send(credential, tenant, "GET /webhooks");
        expect([tenant, status, body.message]).toEqual([tenant, 404, "Tenant not found"]);
      }
    }
    for (const route of ["GET /auth/me", "GET /members"]) {
      expect((await send(token, other.tenantId, route)).status).toBe(404);
    }
  });
});

describe("the tenant of the platform", () => {
  test("is made when it is first used; operators have an owner's permissions there, and publish nothing", async () => {
    const { token } = await operator();
    await env.DB.prepare("DELETE FROM tenants WHERE id = 'platform'").run();
    const made = await send(token, "platform", "POST /webhooks", hook());
    expect(made.status).toBe(201);
    expect(await env.DB.prepare("SELECT shard, name FROM tenants WHERE id = 'platform'").first()).toEqual({
      shard: 0,
      name: "Platform",
    });
    for (const route of ["GET /webhooks", "GET /stats", "GET /events", "GET /audit"]) {
      expect([route, (await send(token, "platform", route)).status]).toEqual([route, 200]);
    }
    expect((await send(token, "platform", "POST /events", EVENT)).status).toBe(403);
    expect((await send(token, "platform", `DELETE /webhooks/${made.body.data._id}`)).status).toBe(200);
  });

  test("has no sources, with which whoever knows the secret could forge platform events", async () => {
    const { token } = await operator();
    const source = { name: "Forged", provider: "stripe", secrets: ["whsec_c2VjcmV0"] };
    expect((await send(token, "platform", "POST /sources", source)).status).toBe(404);
    const { results } = await env.DB.prepare("SELECT id FROM sources WHERE tenant_id = 'platform'").all();
    expect(results).toEqual([]);
  });

  test("takes no event from anybody but the service itself, by whatever way it comes", async () => {
    const deps = await createDeps(env, createExecutionContext());
    const event = { type: "user.deleted", payload: "{}", correlationId: null, idempotencyKey: null };
    const publisher = { tenantId: "platform", shard: 0, hasVerifiedOwner: true };
    await expect(publishEvents(deps, publisher, [event], 1)).rejects.toMatchObject({ code: "FORBIDDEN" });
  });

  test("has no members: what only people do is not there", async () => {
    const { token } = await operator();
    for (const route of ["GET /members", "POST /invitations", "DELETE /tenant", "POST /api-keys", "GET /auth/me"]) {
      expect([route, (await send(token, "platform", route, route.startsWith("GET") ? undefined : {})).status]).toEqual([
        route,
        404,
      ]);
    }
  });

  test("is there for a platform key that may read people and tenants, made by its first use too", async () => {
    await env.DB.prepare("DELETE FROM tenants WHERE id = 'platform'").run();
    const { key } = await newPlatformKey(["webhooks.read", "users.read", "tenants.read", "events.publish"]);
    expect((await send(key, "platform", "GET /webhooks")).status).toBe(200);
    expect((await send(key, "platform", "POST /events", EVENT)).status).toBe(403);
    for (const scopes of [
      ["webhooks.read", "users.read"],
      ["webhooks.read", "tenants.read"],
    ] as const) {
      const lacking = await newPlatformKey(scopes);
      expect((await send(lacking.key, "platform", "GET /webhooks")).status).toBe(403);
    }
  });

  test("is not there for others, nor for an operator without a second factor", async () => {
    expect((await send(person.token, "platform", "GET /webhooks")).status).toBe(404);
    const unproven = await named("operator@example.com");
    expect((await send(unproven.token, "platform", "GET /webhooks")).status).toBe(403);
  });
});
