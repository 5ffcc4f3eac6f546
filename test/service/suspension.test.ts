/** Suspended tenants and people: what is refused at once, what still works, and that resuming restores it. */

import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, logIn, newAddress, PASSWORD, type Person, signUp, signUpVerified } from "../support/client";
import { holding, visit } from "../support/console";
import { codeIn, mailTo } from "../support/mailbox";
import { operate, operator, secondOperator } from "../support/operators";
import { loginWith, withPasskey } from "../support/passkeys";
import { joinTenant } from "../support/people";
import { newInbox, publish, subscribe } from "../support/receiver";
import { codeOf } from "../support/two-factor";

const reason = "Unpaid since May";
const act = async (op: Person, path: string, body: object = { reason }) => {
  const answer = await operate(op, "POST", path, body);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body.message;
};
const keyOf = async ({ token }: Person) =>
  (await call("POST", "/api-keys", { token, body: { name: "k", scopes: ["webhook.read", "event.publish"] } })).body.data
    .key;
const statusOf = async (method: string, path: string, token: string, body?: unknown) =>
  (await call(method, path, { token, ...(body === undefined ? {} : { body }) })).status;
const event = { type: "OrderPaid", payload: 1 };

describe("a suspended tenant", () => {
  test("refuses tokens and API keys at once, but for the own profile, another tenant and signing out", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    const guest = await joinTenant(owner, "developer");
    const [key, other] = [await keyOf(owner), await signUp()];
    expect(await act(op, `/tenants/${owner.tenantId}/suspend`)).toBe("Tenant suspended.");
    for (const token of [owner.token, guest.token, key]) {
      const refused = await call("GET", "/webhooks", { token });
      expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
      expect(refused.body.message).toMatch(/suspended/);
      expect(await statusOf("POST", "/events", token, event)).toBe(403);
    }
    expect(await statusOf("DELETE", "/tenant", guest.token, { password: PASSWORD })).toBe(403);
    expect(await statusOf("GET", "/auth/me", owner.token)).toBe(200);
    expect(await statusOf("GET", "/tenants", owner.token)).toBe(200);
    expect(await statusOf("POST", "/auth/logout-all", guest.token)).toBe(200);
    expect(await statusOf("GET", "/webhooks", other.token)).toBe(200);
    const again = await call("POST", "/auth/refresh", { body: { refreshToken: owner.refreshToken } });
    expect(await statusOf("GET", "/webhooks", again.body.data.accessToken)).toBe(403);
    expect(await statusOf("GET", "/webhooks", (await logIn(owner)).token)).toBe(403);
    expect(await act(op, `/tenants/${owner.tenantId}/resume`)).toBe("Tenant resumed.");
    expect(await statusOf("GET", "/webhooks", again.body.data.accessToken)).toBe(200);
    expect(await statusOf("POST", "/events", key, event)).toBe(202);
  });

  test("is refused over RPC too", async () => {
    const owner = await signUpVerified();
    await act(await operator(), `/tenants/${owner.tenantId}/suspend`);
    const body = JSON.stringify({ tenantId: owner.tenantId, publication: event, idempotencyKey: null });
    const rpc = await env.PUBLISHER.fetch("http://publisher/", { method: "POST", body });
    expect(await rpc.text()).toMatch(/suspended/);
  });

  test("shows a page that says so in the console, from which one can work in another tenant", async () => {
    const owner = await signUpVerified();
    await act(await operator(), `/tenants/${owner.tenantId}/suspend`);
    const browser = await holding(owner);
    for (const path of ["", "/webhooks", "/people"]) {
      const page = await browser.get(path);
      expect([path, page.status]).toEqual([path, 403]);
      expect(page.html).toContain("This tenant is suspended");
    }
    expect((await browser.get("/tenants")).status).toBe(200);
    expect((await browser.get("/security")).status).toBe(200);
    expect((await browser.post("/sign-out")).status).toBe(303);
  });

  test("says since when and why to the operator, and to its owners in their log after it was resumed", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    await act(op, `/tenants/${owner.tenantId}/suspend`);
    await act(op, `/tenants/${owner.tenantId}/suspend`, { reason: "another" });
    const { data } = (await operate(op, "GET", `/tenants/${owner.tenantId}`)).body;
    expect(data.suspended).toEqual({ at: expect.any(String), reason });
    expect(data.holds).toMatchObject([{ cause: "suspended", ofAllTenants: false }]);
    await act(op, `/tenants/${owner.tenantId}/resume`, { reason: "Paid" });
    expect((await operate(op, "GET", `/tenants/${owner.tenantId}`)).body.data).toMatchObject({
      suspended: null,
      holds: [],
    });
    const { data: events } = (await call("GET", "/audit?action=operator.*", { token: owner.token })).body;
    const changes = events.filter(({ meta }: { meta: object | null }) => meta !== null);
    expect(changes.map(({ action, meta }: { action: string; meta: object }) => [action, meta])).toEqual([
      ["operator.tenant_resumed", { reason: "Paid" }],
      ["operator.tenant_suspended", { reason }],
    ]);
  });

  test("cannot be deleted by its owner, nor with the account of its only member", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    await act(op, `/tenants/${owner.tenantId}/suspend`);
    const refused = await call("DELETE", "/tenant", { token: owner.token, body: { password: PASSWORD } });
    expect([refused.status, refused.body.code]).toEqual([409, "CONFLICT"]);
    const body = { password: PASSWORD, deleteTenants: true };
    const alone = await call("DELETE", "/auth/me", { token: owner.token, body });
    expect([alone.status, alone.body.code]).toEqual([409, "CONFLICT"]);
    expect(alone.body.message).toMatch(/suspended/);
    expect((await operate(op, "GET", `/tenants/${owner.tenantId}`)).status).toBe(200);
    await act(op, `/tenants/${owner.tenantId}/resume`);
    expect(await statusOf("DELETE", "/auth/me", owner.token, body)).toBe(200);
  });

  test("lets its members protect their accounts", async () => {
    const owner = await signUpVerified();
    await act(await operator(), `/tenants/${owner.tenantId}/suspend`);
    const { token } = owner;
    for (const path of ["/auth/sessions", "/auth/passkeys", "/auth/identities", "/auth/me/activity", "/auth/me/export"])
      expect([path, await statusOf("GET", path, token)]).toEqual([path, 200]);
    expect(await statusOf("POST", "/auth/2fa/enable", token)).toBe(200);
    const passwords = { currentPassword: PASSWORD, newPassword: `${PASSWORD}, a new one` };
    expect(await statusOf("POST", "/auth/change-password", token, passwords)).toBe(200);
  });

  test("does not lock an operator out who is signed in to it", async () => {
    const op = await operator();
    await act(op, `/tenants/${op.tenantId}/suspend`);
    expect(await statusOf("GET", "/webhooks", op.token)).toBe(403);
    await act(op, `/tenants/${op.tenantId}/resume`);
    expect(await statusOf("GET", "/webhooks", op.token)).toBe(200);
  });
});

describe("a suspended person", () => {
  test("is refused with a passkey and with a code from a mail, as with the password", async () => {
    const { person, passkey } = await withPasskey();
    const asked = await call("POST", "/auth/code", {
      body: { email: person.email },
      headers: { "cf-connecting-ip": newAddress() },
    });
    const code = codeIn(await mailTo(person.email, /sign-in code/));
    await act(await operator(), `/people/${person.userId}/suspend`);
    const byPasskey = await loginWith(passkey);
    expect([byPasskey.status, byPasskey.body.code]).toEqual([403, "FORBIDDEN"]);
    const body = { state: asked.body.data.state, code };
    const byCode = await call("POST", "/auth/code/verify", { body, headers: { "cf-connecting-ip": newAddress() } });
    expect([byCode.status, byCode.body.code]).toEqual([403, "FORBIDDEN"]);
  });

  test("is signed out at once and refused after the right password only; API keys stop until the person is resumed", async () => {
    const op = await operator();
    const person = await logIn(await signUp());
    const key = await keyOf(person);
    expect(await act(op, `/people/${person.userId}/suspend`)).toBe("Person suspended.");
    expect(await statusOf("GET", "/auth/me", person.token)).toBe(401);
    expect((await call("POST", "/auth/refresh", { body: { refreshToken: person.refreshToken } })).status).toBe(401);
    const login = (password: string) => call("POST", "/auth/login", { body: { email: person.email, password } });
    const refused = await login(PASSWORD);
    expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
    expect(refused.body.message).toMatch(/suspended/);
    const unknown = await call("POST", "/auth/login", { body: { email: `x${person.email}`, password: "wrong" } });
    const wrong = await login("wrong");
    expect({ ...wrong.body, requestId: "" }).toEqual({ ...unknown.body, requestId: "" });
    expect(await statusOf("GET", "/webhooks", key)).toBe(401);
    expect(await statusOf("POST", "/events", key, event)).toBe(401);
    expect(await act(op, `/people/${person.userId}/resume`)).toBe("Person resumed.");
    expect(await statusOf("GET", "/webhooks", key)).toBe(200);
    expect((await login(PASSWORD)).status).toBe(200);
  });

  test("keeps the API keys if the operator says so, in the API and in the console", async () => {
    const op = await operator();
    const people = [await logIn(await signUp()), await logIn(await signUp())] as const;
    const keys = [await keyOf(people[0]), await keyOf(people[1])] as const;
    await act(op, `/people/${people[0].userId}/suspend`, { reason, keepApiKeys: true });
    const browser = await holding(op);
    const path = `/operator/people/${people[1].userId}/suspend`;
    expect((await browser.get(path)).html).toContain('name="keepApiKeys"');
    expect((await browser.post(path, { reason, keepApiKeys: "true" })).status).toBe(303);
    for (const key of keys) expect(await statusOf("GET", "/webhooks", key)).toBe(200);
    for (const { token } of people) expect(await statusOf("GET", "/auth/me", token)).toBe(401);
  });

  test("cannot finish a sign-in in the console that was begun before", async () => {
    const person = await secondOperator();
    const browser = visit();
    await browser.post("/sign-in", { email: person.email, password: PASSWORD });
    await act(await operator(), `/people/${person.userId}/suspend`);
    const page = await browser.post("/sign-in/code", { totp: codeOf(person.secret) });
    expect(page.status).toBe(403);
    expect(page.html).toContain("This account is suspended");
  });

  test("is not the operator", async () => {
    const op = await operator();
    expect((await operate(op, "POST", `/people/${op.userId}/suspend`, { reason })).status).toBe(409);
    expect(await statusOf("GET", "/auth/me", op.token)).toBe(200);
  });

  test("can be another operator", async () => {
    const [op, other] = [await operator(), await secondOperator()];
    for (const act of ["suspend", "resume"]) {
      expect((await operate(op, "POST", `/people/${other.userId}/${act}`, { reason })).status).toBe(200);
      expect(await statusOf("GET", "/auth/me", other.token)).toBe(401);
    }
  });

  test("reads in their activity what was done, and not by whom", async () => {
    const op = await operator();
    const person = await signUpVerified();
    await act(op, `/people/${person.userId}/suspend`);
    await act(op, `/people/${person.userId}/resume`);
    const { token } = await logIn(person);
    const { data } = (await call("GET", "/auth/me/activity", { token })).body;
    const seen = data.filter(({ action }: { action: string }) => action.startsWith("operator."));
    expect(seen.map(({ action }: { action: string }) => action)).toEqual([
      "operator.person_resumed",
      "operator.person_suspended",
    ]);
    expect(JSON.stringify(seen)).not.toContain(op.email);
    expect(JSON.stringify(seen)).not.toContain(op.userId);
  });
});

test("all sessions of a person end, and the person can sign in again", async () => {
  const op = await operator();
  const person = await logIn(await signUp());
  expect(await act(op, `/people/${person.userId}/sessions/revoke`, {})).toBe("All sessions ended.");
  expect(await statusOf("GET", "/auth/me", person.token)).toBe(401);
  expect(await statusOf("GET", "/auth/me", (await logIn(person)).token)).toBe(200);
});

describe("every change", () => {
  /** What each change needs in its body. */
  const BODY = { reason, shard: 1 };
  const changes = (id: string, person: string) => [
    `/tenants/${id}/suspend`,
    `/tenants/${id}/resume`,
    `/tenants/${id}/move`,
    `/tenants/${id}/sends/hold`,
    `/tenants/${id}/sends/release`,
    `/people/${person}/suspend`,
    `/people/${person}/resume`,
    `/people/${person}/sessions/revoke`,
    `/people/${person}/two-factor/remove`,
    "/sends/hold",
    "/sends/release",
  ];

  test("needs a recent sign-in or a code, never the password alone, and says so", async () => {
    const op = await operator();
    const { tenantId, userId } = await signUp();
    await env.DB.prepare("UPDATE sessions SET created_at = 0, confirmed_at = NULL WHERE user_id = ?")
      .bind(op.userId)
      .run();
    for (const path of changes(tenantId, userId)) {
      const { status, body } = await operate(op, "POST", path, BODY);
      expect([path, status, body.code]).toEqual([path, 403, "STEP_UP_REQUIRED"]);
    }
    const withPassword = await operate(op, "POST", `/tenants/${tenantId}/suspend`, { reason, password: PASSWORD });
    expect(withPassword.body.code).toBe("STEP_UP_REQUIRED");
    await act(op, `/tenants/${tenantId}/suspend`, { reason, totp: codeOf(op.secret) });
  });

  test("is refused to others, without a reason, and for what does not exist", async () => {
    const [op, other, none] = [await operator(), await signUpVerified(), crypto.randomUUID()];
    for (const path of changes(none, none)) {
      expect([path, (await operate(other, "POST", path, BODY)).status]).toEqual([path, 404]);
      if (!path.startsWith("/sends")) expect((await operate(op, "POST", path, BODY)).status).toBe(404);
      if (/suspend|resume/.test(path)) expect((await operate(op, "POST", path, { reason: "" })).status).toBe(400);
    }
  });

  test("of 20 parallel suspensions one is recorded", async () => {
    const op = await operator();
    const owner = await signUpVerified();
    await subscribe(owner, newInbox("200").url);
    await publish(owner, 1);
    await Promise.all(Array.from({ length: 20 }, () => act(op, `/tenants/${owner.tenantId}/suspend`)));
    await act(op, `/tenants/${owner.tenantId}/resume`);
    const { data } = (await call("GET", "/audit?action=operator.tenant_suspended", { token: owner.token })).body;
    expect(data).toHaveLength(1);
  });
});
