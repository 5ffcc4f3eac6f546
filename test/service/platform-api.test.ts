/** `/platform`: who may call it, and what the product does with its tenants. */
import { beforeAll, describe, expect, test } from "vitest";
import type { PlatformScope } from "../../src/base/schemas/platform-scopes";
import { call, newEmail, signUp, signUpVerified } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import { operator } from "../support/operators";
import { callUnder } from "../support/overrides";
import { all, as, auditOf, data, MISSING, newExternalId, newTenant, openPlatform, send } from "../support/platform-api";
import { callAs, newPlatformKey } from "../support/platform-keys";
import { newInbox } from "../support/receiver";

beforeAll(openPlatform);

/** Each route with the scope that it needs. */
const ROUTES: [route: string, scope: PlatformScope][] = [
  ["POST /tenants", "tenants.write"],
  ["GET /tenants", "tenants.read"],
  [`GET /tenants/${MISSING}`, "tenants.read"],
  [`PATCH /tenants/${MISSING}`, "tenants.write"],
  [`DELETE /tenants/${MISSING}`, "tenants.write"],
  [`POST /tenants/${MISSING}/suspend`, "tenants.write"],
  [`POST /tenants/${MISSING}/resume`, "tenants.write"],
  [`GET /tenants/${MISSING}/members`, "members.read"],
  [`POST /tenants/${MISSING}/members`, "members.write"],
  [`PATCH /tenants/${MISSING}/members/${MISSING}`, "members.write"],
  [`DELETE /tenants/${MISSING}/members/${MISSING}`, "members.write"],
  [`POST /tenants/${MISSING}/invitations`, "members.write"],
  [`GET /tenants/${MISSING}/security`, "tenants.read"],
  [`PATCH /tenants/${MISSING}/security`, "tenants.write"],
  ["GET /usage?month=2026-11", "tenants.read"],
  ["POST /users", "users.write"],
  ["GET /users", "users.read"],
  [`GET /users/${MISSING}`, "users.read"],
  [`PATCH /users/${MISSING}`, "users.write"],
  [`DELETE /users/${MISSING}`, "users.write"],
  [`POST /users/${MISSING}/suspend`, "users.write"],
  [`POST /users/${MISSING}/resume`, "users.write"],
  [`POST /users/${MISSING}/sessions/revoke`, "users.write"],
  [`POST /users/${MISSING}/mails`, "users.write"],
];

describe("who may", () => {
  test("a key with the scope of the route, and no other scope", async () => {
    for (const scope of new Set(ROUTES.map(([, needed]) => needed))) {
      const { key } = await newPlatformKey([scope]);
      for (const [route, needed] of ROUTES) {
        const [method = "", path = ""] = route.split(" ");
        const { status } = await as(key, method, path, method === "GET" ? undefined : {});
        expect([scope, route, status === 403]).toEqual([scope, route, scope !== needed]);
        if (scope === needed) expect([200, 400, 404]).toContain(status);
      }
    }
  });

  test("an operator is told to use a key, others find nothing, and an API key is refused", async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    const made = await call("POST", "/api-keys", { token: person.token, body: { name: "k", scopes: ["audit.read"] } });
    for (const [route] of ROUTES) {
      const [method = "", path = ""] = route.split(" ");
      const asked = await as(op.token, method, path, method === "GET" ? undefined : {});
      expect([route, asked.status, asked.body.message]).toEqual([route, 403, "Use a platform key."]);
      for (const [token, status] of [
        [person.token, 404],
        [made.body.data.key, 401],
      ]) {
        expect([route, (await as(token, method, path, method === "GET" ? undefined : {})).status]).toEqual([
          route,
          status,
        ]);
      }
    }
  });

  test("a key with a list of tenants sees these alone, and makes none", async () => {
    const [one, other] = [await newTenant(), await newTenant()];
    const { key } = await newPlatformKey(["tenants.read", "tenants.write", "members.read"], { tenants: [one.id] });
    expect((await as(key, "GET", "/tenants")).body.data.map(({ id }: { id: string }) => id)).toEqual([one.id]);
    expect((await as(key, "GET", `/tenants/${one.id}`)).status).toBe(200);
    expect((await as(key, "GET", `/tenants/${other.id}`)).status).toBe(404);
    expect((await as(key, "PATCH", `/tenants/${other.id}`, { name: "x" })).status).toBe(404);
    expect((await as(key, "GET", `/tenants/${other.id}/members`)).status).toBe(404);
    expect((await as(key, "POST", "/tenants", { name: "x" })).status).toBe(403);
  });

  test("as often as its limits allow, which no other key uses up", async () => {
    const keys = [await newPlatformKey(["tenants.read", "tenants.write"]), await newPlatformKey(["tenants.read"])];
    const vars = {
      RATE_LIMITS: JSON.stringify({
        platformRead: { limit: 2, windowSeconds: 60 },
        platformWrite: { limit: 1, windowSeconds: 60 },
      }),
    };
    const ask = async (token: string | undefined, method: string) =>
      (await callUnder(vars, { method, path: "/api/v1/platform/tenants", token, body: {} })).status;
    expect([await ask(keys[0]?.key, "GET"), await ask(keys[0]?.key, "GET"), await ask(keys[0]?.key, "GET")]).toEqual([
      200, 200, 429,
    ]);
    expect([await ask(keys[0]?.key, "POST"), await ask(keys[0]?.key, "POST")]).toEqual([400, 429]);
    expect(await ask(keys[1]?.key, "GET")).toBe(200);
  });
});

describe("of 50 requests at once, a key may make exactly as many as its limit allows", () => {
  const LIMIT = { limit: 20, windowSeconds: 3600 };
  const vars = {
    RATE_LIMITS: JSON.stringify({ platformRead: LIMIT, platformWrite: LIMIT, platformPublish: LIMIT }),
  };

  test.each<[string, number, (key: string, tenant: string) => Parameters<typeof callUnder>[1]]>([
    ["reads", 200, (token) => ({ method: "GET", path: "/api/v1/platform/tenants", token })],
    ["writes", 201, (token) => ({ path: "/api/v1/platform/tenants", token, body: { name: "Shop" } })],
    [
      "events",
      202,
      (token, tenant) => ({
        path: "/api/v1/events",
        token,
        body: { type: "OrderPaid", payload: {} },
        headers: { "postern-tenant": tenant },
      }),
    ],
  ])("%s", async (_what, allowed, request) => {
    const [{ key }, tenants] = [await newPlatformKey(), [await newTenant(), await newTenant()]];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => callUnder(vars, request(key, tenants[n % 2]?.id ?? ""))),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === allowed)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
  });

  test("and of 50 tenants at once, each with the same external id in another case, none is merged", async () => {
    const id = newExternalId();
    const cases = Array.from({ length: 50 }, (_, n) => `${id}${n % 2 === 0 ? "a" : "A"}`);
    const answers = await Promise.all(
      cases.map((externalId) => send("POST", "/tenants", { name: "Shop", externalId })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(2);
  });
});

describe("tenants", () => {
  test("are created once for an external id, also by 20 parallel requests", async () => {
    const externalId = newExternalId();
    const create = (name = "Shop") => send("POST", "/tenants", { name, externalId });
    const answers = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(answers[0]?.body.data).toEqual({
      id: expect.any(String),
      externalId,
      name: "Shop",
      suspended: null,
      createdAt: expect.any(String),
      updatedAt: answers[0]?.body.data.createdAt,
      sequence: 0,
      metadata: {},
      publicMetadata: {},
    });
    const other = await create("Other");
    expect([other.status, other.body.code]).toEqual([409, "CONFLICT"]);
  });

  test.each(["", "a b", "a/b", "a?b", "a#b", "a%b", "a\\b", "é", "x".repeat(129), "a\n"])(
    "refuse the external id %j",
    async (externalId) => {
      const { status, body } = await send("POST", "/tenants", { name: "Shop", externalId });
      expect([status, body.details[0].path]).toEqual([400, "externalId"]);
    },
  );

  test("are named by id or external id, changed, and listed from the time of a change", async () => {
    const externalId = `A!${crypto.randomUUID()}`;
    const tenant = await newTenant({ externalId });
    const ref = encodeURIComponent(`ext:${externalId}`);
    expect(await data("GET", `/tenants/${ref}`)).toEqual(tenant);
    const renamed = await data("PATCH", `/tenants/${ref}`, { name: "Renamed" });
    expect(renamed).toMatchObject({ name: "Renamed", externalId });
    expect(renamed.updatedAt > tenant.updatedAt).toBe(true);
    expect(await data("PATCH", `/tenants/${tenant.id}`, { name: "Renamed" })).toEqual(renamed);
    const changed = await send("GET", `/tenants?updatedSince=${renamed.updatedAt}`);
    expect(changed.body.data).toContainEqual(renamed);
    expect((await send("GET", `/tenants?externalId=${encodeURIComponent(externalId)}`)).body.data).toEqual([renamed]);
    const [event] = await auditOf(tenant.id);
    expect(event).toMatchObject({ action: "tenant.updated", actor: { kind: "platform-key" } });
    const other = await newTenant();
    expect((await send("PATCH", `/tenants/${other.id}`, { externalId })).status).toBe(409);
    expect((await data("PATCH", `/tenants/${tenant.id}`, { externalId: null })).externalId).toBeNull();
    expect((await send("GET", `/tenants/${ref}`)).status).toBe(404);
  });

  test("invite people, who register or accept with the account that they have", async () => {
    const { id } = await newTenant();
    const [guest, known] = [newEmail(), await signUpVerified()];
    const invite = (email: string, role: string) => send("POST", `/tenants/${id}/invitations`, { email, role });
    const invited = await invite(guest, "owner");
    expect([invited.status, invited.body.data]).toMatchObject([201, { email: guest, role: "owner", invitedBy: null }]);
    expect(await auditOf(id)).toMatchObject([{ action: "member.invited", actor: { kind: "platform-key" } }]);
    expect((await invite(guest, "owner")).status).toBe(429);
    expect((await invite(newEmail(), "emperor")).status).toBe(400);
    const mail = await mailTo(guest, /invited/);
    expect(mail.text).toContain("You are invited to join Shop as an owner.");
    const lookUp = await call("POST", "/auth/invitations/look-up", { body: { token: tokenIn(mail) } });
    expect(lookUp.body.data).toMatchObject({ hasAccount: false, inviter: null });
    expect((await signUp({ email: guest, invitationToken: tokenIn(mail) })).tenantId).toBe(id);
    await invite(known.email, "viewer");
    const token = tokenIn(await mailTo(known.email, /invited/));
    const joined = await call("POST", "/invitations/accept", { token: known.token, body: { token } });
    expect(joined.body.data).toMatchObject({ tenant: { id }, role: "viewer" });
    expect((await invite(known.email, "viewer")).status).toBe(429);
  });

  test("require a second factor when the product says so, and their owners are told", async () => {
    const owner = await signUpVerified();
    const path = `/tenants/${owner.tenantId}/security`;
    expect(await data("GET", path)).toMatchObject({ requireSecondFactor: "off", membersWithout: 0 });
    const changed = await data("PATCH", path, { requireSecondFactor: "all", graceDays: 0 });
    expect(changed).toMatchObject({ requireSecondFactor: "all", membersWithout: 1 });
    expect((await call("GET", "/webhooks", { token: owner.token })).body.code).toBe("SECOND_FACTOR_REQUIRED");
    expect((await mailTo(owner.email, /second factor in your tenant/)).text).toContain("shop changed the policy");
    const event = { action: "tenant.security_changed", meta: { requireSecondFactor: "all", graceDays: 0 } };
    for (const log of [owner.tenantId, "platform"]) {
      const events = await auditOf(log, "limit=5");
      expect(events).toContainEqual(expect.objectContaining(event));
    }
    expect((await send("PATCH", path, { graceDays: -1 })).status).toBe(400);
  });

  test("are paged without gaps, the least recently updated first", async () => {
    const since = new Date().toISOString();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.push((await newTenant()).id);
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = (await send("GET", `/tenants?limit=2&updatedSince=${since}${cursor}`)).body;
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    expect(seen.filter((id) => made.includes(id))).toEqual(made);
    expect((await send("GET", "/tenants?cursor=x")).status).toBe(400);
  });

  test("are suspended and resumed, twice without harm", async () => {
    const { id } = await newTenant();
    for (const [change, message] of [
      ["suspend", "Tenant suspended."],
      ["suspend", "Tenant suspended."],
    ]) {
      const { status, body } = await send("POST", `/tenants/${id}/${change}`, { reason: "Unpaid" });
      expect([status, body.message]).toEqual([200, message]);
    }
    expect((await data("GET", `/tenants/${id}`)).suspended).toEqual({ at: expect.any(String), reason: "Unpaid" });
    expect((await callAs(all, id, "GET", "/webhooks")).status).toBe(403);
    expect((await send("DELETE", `/tenants/${id}`)).status).toBe(409);
    for (let again = 0; again < 2; again += 1) {
      expect((await send("POST", `/tenants/${id}/resume`, { reason: "Paid" })).body.message).toBe("Tenant resumed.");
    }
    const actions = (await auditOf(id, "limit=9")).map(({ action }: { action: string }) => action);
    expect(actions).toEqual(["tenant.resumed", "tenant.suspended", "tenant.created"]);
  });

  test("need no verified owner to work, and are deleted with what they have", async () => {
    const externalId = newExternalId();
    const { id } = await newTenant({ externalId });
    const hook = { name: "h", url: newInbox("200").url, events: ["*"], secret: "a secret" };
    for (let count = 0; count < 6; count += 1) {
      expect((await callAs(all, id, "POST", "/webhooks", hook)).status).toBe(201);
    }
    const deleted = await send("DELETE", `/tenants/ext:${externalId}`);
    expect([deleted.status, deleted.body.message]).toEqual([200, "Tenant deleted."]);
    expect((await send("GET", `/tenants/${id}`)).status).toBe(404);
    const [event] = await auditOf("platform");
    expect(event).toMatchObject({ action: "tenant.deleted", target: { id }, meta: { externalId } });
  });

  test("do not include the tenant of the platform", async () => {
    await callAs(all, "platform", "GET", "/webhooks");
    for (const [method, path] of [
      ["GET", "/tenants/platform"],
      ["PATCH", "/tenants/platform"],
      ["DELETE", "/tenants/platform"],
      ["GET", "/tenants/platform/members"],
    ] as const) {
      expect((await send(method, path, method === "GET" ? undefined : {})).status).toBe(404);
    }
    expect(JSON.stringify((await send("GET", "/tenants?limit=200")).body)).not.toContain('"platform"');
  });
});
