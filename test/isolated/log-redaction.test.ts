/** No secret reaches the log: every route is used rightly and wrongly, the consumers too, and whatever was secret is searched for in all output. */
import { env } from "cloudflare:workers";
import { Secret, TOTP } from "otpauth";
import { expect, test, vi } from "vitest";
import { app } from "../../src/app";
import { make, show } from "../support/authenticator";
import { call, eventually, newEmail } from "../support/client";
import { visit } from "../support/console";
import { addDelivery, consumeBatch, messageFor } from "../support/engine";
import { captureLog } from "../support/log-lines";
import { codeIn, mailTo } from "../support/mailbox";
import {
  claimsOf,
  codeFor,
  comeBack,
  depart,
  departureOf,
  exchange,
  newBrowser,
  newPersonAtProvider,
} from "../support/oauth";
import { operator } from "../support/operators";
import { endedAttempts, newInbox } from "../support/receiver";
import { secretKeeper } from "../support/secrets";
import { deliveryDb } from "../support/shard";

const captured = captureLog();
const { secrets, keep, keepFields, keepTokenOf, foundIn } = secretKeeper();
keep("$argon2id$");
let number = 0;
const fresh = (what: string) => keep(`recognisable-${what}-${++number}`);

async function ask(method: string, path: string, body?: unknown, token?: string) {
  keepFields(body);
  keep(token);
  // An address of its own: what is asked here is more than a limit allows.
  const headers = { "cf-connecting-ip": `192.0.2.${++number % 250}` };
  const answer = await call(method, path, { ...(body === undefined ? {} : { body }), token, headers });
  keepFields(answer.body);
  return answer;
}

interface User {
  email: string;
  password: string;
  token: string;
  refreshToken: string;
}

const session = ({ body }: { body: { data: { accessToken: string; refreshToken: string } } }) => ({
  token: body.data.accessToken,
  refreshToken: body.data.refreshToken,
});

async function register(fields: object = {}): Promise<User> {
  const credentials = { email: newEmail(), password: fresh("password") };
  return { ...credentials, ...session(await ask("POST", "/auth/register", { ...credentials, ...fields })) };
}

async function verified(): Promise<User> {
  const user = await register();
  await ask("POST", "/auth/verify-email", { token: keepTokenOf(await mailTo(user.email, /verify/i)) });
  return user;
}

const login = (user: User, fields: object = {}) =>
  ask("POST", "/auth/login", { email: user.email, password: user.password, ...fields });

test("registration, verification, login, sessions", async () => {
  const user = await register();
  await ask("POST", "/auth/register", { email: user.email, password: fresh("password") });
  await ask("POST", "/auth/register", { email: "nobody", password: fresh("password") });
  const raw = `{"email":"a@example.com","password":"${fresh("password")}`;
  await call("POST", "/auth/register", { raw, headers: { "content-type": "application/json" } });
  await ask("POST", "/auth/resend-verification", undefined, user.token);
  await ask("POST", "/auth/resend-verification", undefined, fresh("access-token"));
  await login(user);
  await ask("POST", "/auth/verify-email", { token: fresh("mailed-token") });
  await ask("POST", "/auth/verify-email", { token: keepTokenOf(await mailTo(user.email, /verify/i)) });
  await ask("POST", "/auth/not-me", { token: fresh("mailed-token") });
  await login({ ...user, password: fresh("password") });
  const second = session(await login(user));
  await ask("POST", "/auth/refresh", { refreshToken: fresh("refresh-token") });
  await ask("POST", "/auth/refresh", { refreshToken: user.refreshToken });
  await ask("POST", "/auth/refresh", { refreshToken: user.refreshToken });
  await ask("POST", "/auth/logout", {});
  await ask("POST", "/auth/logout", { refreshToken: fresh("refresh-token") });
  const { body } = await ask("GET", "/auth/sessions", undefined, second.token);
  const other = body.data.find((one: { current: boolean }) => !one.current);
  await ask("DELETE", `/auth/sessions/${other.id}`, undefined, second.token);
  await ask("DELETE", `/auth/sessions/${other.id}`, undefined, second.token);
  await ask("GET", "/auth/me", undefined, second.token);
  await ask("POST", "/auth/logout-all", undefined, second.token);
  await ask("POST", "/auth/logout-all", undefined, second.token);
});

test("two factors", async () => {
  const user = await verified();
  const code = async (action: string, token: string) => ask("POST", `/auth/2fa/${action}`, { token }, user.token);
  await code("disable", "123456");
  const { secret } = (await ask("POST", "/auth/2fa/enable", undefined, user.token)).body.data;
  const now = (steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
  await code("verify", fresh("code"));
  await code("verify", now(-1));
  await ask("POST", "/auth/2fa/enable", undefined, user.token);
  await code("recovery-codes", fresh("code"));
  const made = await code("recovery-codes", now());
  const [first, second] = made.body.data.recoveryCodes as string[];
  await login(user);
  await login(user, { totp: fresh("code") });
  expect((await login(user, { totp: first })).status).toBe(200);
  expect((await code("disable", second ?? "")).status).toBe(200);
});

test("passwords", async () => {
  const user = await verified();
  const change = (currentPassword: string, newPassword: string) =>
    ask("POST", "/auth/change-password", { currentPassword, newPassword }, user.token);
  await change(fresh("password"), fresh("password"));
  expect((await change(user.password, fresh("password"))).status).toBe(200);
  await ask("POST", "/auth/not-me", { token: keepTokenOf(await mailTo(user.email, /password was changed/)) });
  await ask("POST", "/auth/forgot-password", { email: "nobody", password: fresh("password") });
  await ask("POST", "/auth/forgot-password", { email: user.email });
  const token = keepTokenOf(await mailTo(user.email, /reset/i));
  await ask("POST", "/auth/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
  expect((await ask("POST", "/auth/reset-password", { token, newPassword: fresh("password") })).status).toBe(200);
});

test("mailed codes", async () => {
  const user = await verified();
  await ask("POST", "/auth/code", { email: "nobody" });
  const state = keep((await ask("POST", "/auth/code", { email: user.email })).body.data.state);
  const code = keep(codeIn(await mailTo(user.email, /sign-in code/)));
  await ask("POST", "/auth/code/verify", { state, code: fresh("code") });
  expect((await ask("POST", "/auth/code/verify", { state, code })).status).toBe(200);
});

test("API keys, members and invitations", async () => {
  const owner = await verified();
  await ask("POST", "/api-keys", { name: "key", scopes: [fresh("scope")] }, owner.token);
  const made = (await ask("POST", "/api-keys", { name: "key", scopes: ["webhook.read"] }, owner.token)).body.data;
  await ask("GET", "/webhooks", undefined, made.key);
  await ask("GET", "/webhooks", undefined, `${made.key.slice(0, -1)}!`);
  await ask("GET", "/api-keys", undefined, owner.token);
  await ask("DELETE", `/api-keys/${made.id}`, undefined, owner.token);
  await ask("DELETE", `/api-keys/${made.id}`, undefined, owner.token);

  const invite = async (email: string) => {
    const { body } = await ask("POST", "/invitations", { email, role: "viewer" }, owner.token);
    return { id: body.data.id as string, token: keepTokenOf(await mailTo(email, /invited/)) };
  };
  await ask("POST", "/invitations", { email: fresh("email"), role: "nobody" }, owner.token);
  const unwanted = await invite(newEmail());
  await ask("DELETE", `/invitations/${unwanted.id}`, undefined, owner.token);
  await ask("DELETE", `/invitations/${unwanted.id}`, undefined, owner.token);
  const known = await verified();
  const { token } = await invite(known.email);
  await ask("POST", "/invitations/accept", { token: fresh("mailed-token") }, known.token);
  const joined = await ask("POST", "/invitations/accept", { token }, known.token);
  await ask("POST", "/auth/switch-tenant", { tenantId: fresh("tenant") }, known.token);
  const switched = await ask("POST", "/auth/switch-tenant", { tenantId: joined.body.data.tenant.id }, known.token);
  await ask("PATCH", "/members/me", { alerts: fresh("alerts") }, switched.body.data.accessToken);
  await ask("PATCH", "/members/me", { alerts: false }, switched.body.data.accessToken);
  await ask("DELETE", "/members/me", undefined, switched.body.data.accessToken);
  await ask("DELETE", "/members/me", undefined, owner.token);
  const guest = newEmail();
  await ask("POST", "/auth/register", {
    email: guest,
    password: fresh("password"),
    invitationToken: (await invite(guest)).token,
  });
  await ask("POST", "/auth/register", {
    email: newEmail(),
    password: fresh("password"),
    invitationToken: fresh("mailed-token"),
  });
  const members = (await ask("GET", "/members", undefined, owner.token)).body.data;
  const viewer = members.find((member: { role: string }) => member.role === "viewer");
  await ask("PATCH", `/members/${viewer.userId}`, { role: "member" }, owner.token);
  await ask("PATCH", `/members/${viewer.userId}`, { role: fresh("role") }, owner.token);
  await ask("DELETE", `/members/${viewer.userId}`, undefined, owner.token);
  await ask("DELETE", `/members/${viewer.userId}`, undefined, owner.token);
});

test("passkeys", async () => {
  const user = await verified();
  const optionsOf = async (path: string, token?: string) => {
    const { data } = (await ask("POST", path, undefined, token)).body;
    keep(data.state);
    keep(data.options.challenge);
    return data;
  };
  const creation = await optionsOf("/auth/passkeys/options", user.token);
  const { passkey, response } = await make(creation);
  for (const state of [fresh("state"), creation.state]) {
    await ask("POST", "/auth/passkeys", { state, response, name: "phone" }, user.token);
  }
  const path = `/auth/passkeys/${passkey.id}`;
  await ask("PATCH", path, { name: "" }, user.token);
  await ask("PATCH", path, { name: "other" }, user.token);
  for (const wrong of [{ origin: "https://evil.example" }, {}]) {
    const login = await optionsOf("/auth/passkeys/login/options");
    await ask("POST", "/auth/passkeys/login", { state: login.state, response: await show(login, passkey, wrong) });
    const stepUp = await optionsOf("/auth/step-up/options", user.token);
    const shown = { state: stepUp.state, response: await show(stepUp, passkey, wrong) };
    await ask("POST", "/auth/step-up", { passkey: shown }, user.token);
  }
  await ask("DELETE", path, undefined, user.token);
  await ask("DELETE", path, undefined, user.token);
  await ask("POST", "/auth/step-up/options", undefined, user.token);
  await ask("POST", "/auth/passkeys/options", undefined, fresh("access-token"));
  await call("POST", "/auth/passkeys/login/options", { raw: "x", headers: { "content-type": "text/plain" } });
});

test("sign-in with a provider", async () => {
  const user = await verified();
  const browser = newBrowser();
  const arrive = async (departure: ReturnType<typeof departureOf>, claims: Record<string, unknown>) => {
    for (const secret of [departure.state, departure.nonce, ...browser.jar.values()]) keep(secret);
    const script = { claims: claimsOf(departure, { ...claims, extra: keep(crypto.randomUUID()) }) };
    keep(codeFor(departure, script));
    const back = await comeBack(browser, "oidc", departure, script);
    for (const secret of [back.searchParams.get("code"), ...browser.jar.values()]) keep(secret ?? undefined);
    return back.searchParams.get("code") ?? "";
  };
  const person = newPersonAtProvider({ email: user.email });
  const code = await arrive(await depart(browser, "oidc"), person);
  await exchange(browser, fresh("code"));
  const { body } = await exchange(browser, code);
  keepFields(body);
  await arrive(await depart(browser, "oidc"), { ...person, nonce: fresh("nonce") });
  const { accessToken: token } = body.data;
  const linking = await browser.send("POST", "/api/v1/auth/identities/oidc", { token, body: {} });
  await arrive(departureOf(linking.body.data.url), newPersonAtProvider());
  await ask("POST", "/auth/identities/nobody", {}, token);
  const [identity] = (await ask("GET", "/auth/identities", undefined, token)).body.data;
  await ask("DELETE", `/auth/identities/${identity.id}`, undefined, token);
  await ask("DELETE", `/auth/identities/${identity.id}`, undefined, token);
});

test("step-up, and deleting an account and a tenant", async () => {
  const [one, other] = [await verified(), await verified()];
  for (const password of [fresh("password"), one.password]) {
    await ask("POST", "/auth/step-up", { password }, one.token);
    await ask("DELETE", "/tenant", { password }, one.token);
  }
  for (const password of [fresh("password"), other.password]) {
    await ask("DELETE", "/auth/me", { password, deleteTenants: true }, other.token);
  }
});

test("subscriptions and deliveries, their consumers too", async () => {
  const owner = await verified();
  const bearer = owner.token;
  const inboxes = [newInbox("200"), newInbox("500")];
  const ids: string[] = [];
  for (const { url } of inboxes) {
    const subscription = { name: "hook", events: ["OrderPaid"], secret: fresh("secret") };
    await ask("POST", "/webhooks", { ...subscription, url: "not a url" }, bearer);
    const made = await ask("POST", "/webhooks", { ...subscription, url: `${url}?key=${fresh("url")}` }, bearer);
    ids.push(made.body.data._id);
  }
  const [good = "", bad = ""] = ids;
  for (const id of [good, "none"]) {
    await ask("PATCH", `/webhooks/${id}`, { secret: fresh("secret") }, bearer);
    for (const value of [fresh("header"), `${fresh("header")}\n`]) {
      await ask("PATCH", `/webhooks/${id}`, { delivery: { headers: { Authorization: value } } }, bearer);
    }
    for (const body of [{ secret: fresh("secret") }, {}, { secret: `whsk_${fresh("secret")}` }]) {
      await ask("POST", `/webhooks/${id}/secret/rotate`, body, bearer);
    }
    await ask("DELETE", `/webhooks/${id}/secret/previous`, undefined, bearer);
    for (const action of ["pause", "resume", "test"]) await ask("POST", `/webhooks/${id}/${action}`, undefined, bearer);
  }
  await ask("POST", "/events", { type: "OrderPaid", payload: { note: fresh("payload") } }, bearer);
  await ask("POST", "/events", { type: "not a type", payload: { note: fresh("payload") } }, bearer);
  await ask("POST", "/events/batch", { events: [{ type: "OrderPaid", payload: { note: fresh("payload") } }] }, bearer);
  await ask("POST", "/events/batch", { events: [{ type: "not a type", payload: { note: fresh("payload") } }] }, bearer);
  const [failed] = await endedAttempts({ ...owner, userId: "", tenantId: "" }, bad, 1);
  await ask("POST", `/webhooks/${bad}/retry`, undefined, bearer);
  await ask("POST", "/webhooks/none/retry", undefined, bearer);
  for (const id of [bad, "none"]) {
    await ask("POST", `/webhooks/${id}/deliveries/${failed.deliveryId}/retry`, undefined, bearer);
    await ask("POST", `/webhooks/${id}/retry-failed`, { since: new Date(0).toISOString() }, bearer);
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = await ask("POST", `/webhooks/${id}/replay`, { since, which: "failed" }, bearer);
    await ask("DELETE", `/webhooks/${id}/replays/${replay.body.data?.id ?? "none"}`, undefined, bearer);
  }
  for (const inbox of inboxes) {
    for (const { headers } of await inbox.arrived(1)) {
      keep(headers["x-webhook-signature"]);
      keep(headers["webhook-signature"]);
    }
  }
  for (const path of ["", `/${good}`, `/${good}/logs`, `/${good}/metrics`]) {
    await ask("GET", `/webhooks${path}`, undefined, bearer);
  }
  await ask("DELETE", `/webhooks/${good}`, undefined, bearer);
  await ask("DELETE", `/webhooks/${good}`, undefined, bearer);

  const { body } = await ask("GET", "/auth/me", undefined, bearer);
  const person = { ...owner, userId: body.data.id, tenantId: body.data.tenant.id };
  const unopened = await addDelivery(person, bad);
  const sealed = fresh("sealed");
  await deliveryDb.prepare("UPDATE subscriptions SET secret_sealed = ? WHERE id = ?").bind(`x.y.${sealed}`, bad).run();
  await consumeBatch([messageFor(unopened), { of: "no known shape", token: fresh("message") }]);
  const dead = [{ kind: "passwordReset", email: owner.email }, { token: fresh("message") }];
  await consumeBatch(dead, "postern-mail-dead");
  expect(captured.lines("delivery could not be sent")).not.toHaveLength(0);
});

test("operators", async () => {
  const op = await operator();
  const other = await verified();
  const { body } = await ask("GET", "/auth/me", undefined, other.token);
  const { id, tenant } = body.data;
  const [ofTenant, ofPerson] = [`/operator/tenants/${tenant.id}`, `/operator/people/${id}`];
  const changes = ["suspend", "resume", "sends/hold", "sends/release"].map((change) => `${ofTenant}/${change}`);
  const ofAll = ["/operator/sends/hold", "/operator/sends/release"];
  const ofPeople = ["suspend", "resume", "sessions/revoke"].map((change) => `${ofPerson}/${change}`);
  const lost = await operator("second-operator@example.com");
  await ask("POST", `/operator/people/${lost.userId}/two-factor/remove`, {}, op.token);
  await ask("POST", `/operator/people/${lost.userId}/two-factor/remove`, {}, other.token);
  await ask("POST", "/auth/2fa/remove", { token: fresh("mailed-token") });
  await ask("POST", "/auth/2fa/remove", { token: keepTokenOf(await mailTo(lost.email, /Remove your lost/)) });
  for (const path of [...changes, ...ofPeople, ...ofAll]) {
    expect((await ask("POST", path, { reason: "a test", password: fresh("password") }, other.token)).status).not.toBe(
      200,
    );
    expect([path, (await ask("POST", path, { reason: "a test" }, op.token)).status]).toEqual([path, 200]);
  }
});

test("faults: a mail that the provider refuses, a database that fails", async () => {
  const user = await verified();
  vi.spyOn(env.EMAIL, "send").mockImplementationOnce(async (mail) => {
    const { text } = mail as unknown as { text: string };
    keep(text.match(/token=([0-9a-f]+)/)?.[1]);
    throw new Error(`refused: ${text}`);
  });
  await ask("POST", "/auth/forgot-password", { email: user.email });
  await eventually("the failure is logged", async () => captured.lines("mail not sent").length > 0);

  await env.DB.prepare("ALTER TABLE users RENAME TO gone").run();
  try {
    await ask("POST", "/auth/register", { email: newEmail(), password: fresh("password") });
    await login(user);
    await ask("POST", "/auth/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
    await ask("POST", "/auth/change-password", { currentPassword: user.password, newPassword: fresh("p") }, user.token);
  } finally {
    await env.DB.prepare("ALTER TABLE gone RENAME TO users").run();
  }
  expect(captured.lines("unexpected error").length).toBeGreaterThan(1);
});

test("the console's forms that hold secrets", async () => {
  const browser = visit();
  const form = async (path: string, fields: Record<string, string> = {}) => {
    keepFields(fields);
    const page = await browser.post(path, fields);
    for (const value of browser.jar.values()) keep(value);
    return page;
  };
  const user = await verified();
  const { email } = user;
  await form("/sign-in", { email, password: fresh("password") });
  await form("/register", { email, password: fresh("password") });
  await form("/verify-email", { token: fresh("mailed-token") });
  await form("/reset-password", { token: fresh("mailed-token"), newPassword: fresh("password") });
  expect((await form("/sign-in", { email, password: user.password })).status).toBe(303);
  await form("/webhooks", { name: "hook", url: "no url", events: "*", secret: fresh("secret") });
  await form("/api-keys", { name: "key", scopes: "webhook.read" });
  await form("/security/password", { currentPassword: fresh("password"), newPassword: fresh("password") });
  const enrolment = await form("/security/two-factor");
  keep(enrolment.html.match(/[A-Z2-7]{32}/)?.[0]);
  await form("/security/two-factor/confirm", { token: fresh("code") });
  expect(captured.lines("request").filter(({ route }) => route.startsWith("/console/")).length).toBeGreaterThan(9);
});

test("every route that changes something was used rightly and wrongly", () => {
  const seen = new Set(
    captured.lines("request").map(({ method, route, status }) => `${method} ${route} ${Math.floor(status / 100)}xx`),
  );
  const changing = app.routes.filter(
    ({ method, path }) => path.startsWith("/api/") && !["ALL", "GET"].includes(method),
  );
  const wanted = changing.flatMap(({ method, path }) => [`${method} ${path} 2xx`, `${method} ${path} 4xx`]);
  expect([...new Set(wanted)].filter((use) => !seen.has(use))).toEqual([]);
});

test("none of the secrets occurs in the output", () => {
  expect(secrets.size).toBeGreaterThan(80);
  expect(foundIn(captured.text.join("\n"))).toEqual([]);
});
