/** The providers that a signed-in user signs in with: adding them, listing them, removing them. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { call, eventually, logIn, type Person, signUpVerified } from "../support/client";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import {
  type Browser,
  claimsOf,
  comeBack,
  departureOf,
  newBrowser,
  newPersonAtProvider,
  OAUTH,
  signInAs,
} from "../support/oauth";
import { addPasskey, loginWith } from "../support/passkeys";

const IDENTITIES = "/api/v1/auth/identities";

const startLinking = (browser: Browser, { token }: Pick<Person, "token">, provider = "oidc", body: unknown = {}) =>
  browser.send("POST", `${IDENTITIES}/${provider}`, { token, body });

/** Links somebody at the generic provider, as far as it goes: returns what the client's page learns. */
async function link(owner: Pick<Person, "token">, person: Record<string, unknown>, browser = newBrowser()) {
  const { body } = await startLinking(browser, owner);
  const departure = departureOf(body.data.url);
  const back = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, person) });
  return Object.fromEntries(back.searchParams);
}

const identitiesOf = async ({ token }: Pick<Person, "token">) =>
  (await call("GET", "/auth/identities", { token })).body.data as { id: string; email: string }[];
const unlink = ({ token }: Pick<Person, "token">, id: string) => call("DELETE", `/auth/identities/${id}`, { token });
const isSignedIn = async ({ token }: Pick<Person, "token">) =>
  (await call("GET", "/auth/me", { token })).status === 200;
const age = (userId: string) =>
  env.DB.prepare("UPDATE sessions SET created_at = created_at - 600000 WHERE user_id = ?").bind(userId).run();

/** An account that began with a provider. */
async function withoutPassword() {
  const person = newPersonAtProvider();
  const { body } = await signInAs(newBrowser(), person);
  const { accessToken: token } = body.data;
  const { id } = (await call("GET", "/auth/me", { token })).body.data;
  return { person, owner: { token, userId: id as string, email: person.email } };
}

describe("linking a provider", () => {
  test("adds it to the account whatever the address, ends the other sessions, and tells the owner", async () => {
    const owner = await signUpVerified();
    const other = await logIn(owner);
    const person = newPersonAtProvider({ email_verified: false });
    expect(await link(owner, person)).toEqual({ linked: "oidc" });
    expect([await isSignedIn(owner), await isSignedIn(other)]).toEqual([true, false]);
    expect(await identitiesOf(owner)).toMatchObject([{ provider: "oidc", email: person.email, lastUsedAt: null }]);
    const { body } = await signInAs(newBrowser(), person);
    const { data } = (await call("GET", "/auth/me", { token: body.data.accessToken })).body;
    expect(data.id).toBe(owner.userId);
    const [used] = await identitiesOf(owner);
    expect(used).toMatchObject({ lastUsedAt: expect.any(String) });
    const exported = await call("GET", "/auth/me/export", { token: owner.token });
    expect(exported.body.data.identities).toEqual([used]);
    expect(await link(owner, person)).toEqual({ linked: "oidc" });
    await mailTo(owner.email, /sign in with id\.issuer\.example/);
  });

  test("is undone by the link in the mail, which ends all sessions", async () => {
    const owner = await signUpVerified();
    const [first, thief] = [newPersonAtProvider(), newPersonAtProvider()];
    await link(owner, first);
    await mailTo(owner.email, /sign in with/);
    const stolen = await logIn(owner);
    await link(stolen, thief);
    const mail = await eventually("the second mail", async () => {
      const mails = mailsTo(owner.email).filter(({ subject }) => /sign in with/.test(subject));
      return mails.length === 2 && mails.at(-1);
    });
    expect((await call("POST", "/auth/not-me", { body: { token: tokenIn(mail) } })).status).toBe(200);
    expect([await isSignedIn(owner), await isSignedIn(stolen)]).toEqual([false, false]);
    expect(await identitiesOf(await logIn(owner))).toMatchObject([{ email: first.email }]);
  });

  test("is refused for what belongs to another account, without a recent sign-in, and for a provider that is not on", async () => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    const person = newPersonAtProvider();
    await link(other, person);
    expect(await link(owner, person)).toEqual({ error: "identity_taken" });
    expect((await startLinking(newBrowser(), owner, "nobody")).status).toBe(404);
    expect((await startLinking(newBrowser(), owner, "oidc", { to: 7 })).status).toBe(400);
    await age(owner.userId);
    expect((await startLinking(newBrowser(), owner)).body.code).toBe("STEP_UP_REQUIRED");
    expect(await identitiesOf(owner)).toEqual([]);
  });

  test("ends with the session that began it, and at ten identities", async () => {
    const owner = await signUpVerified();
    const browser = newBrowser();
    const { body } = await startLinking(browser, owner, "oidc", { to: "/back" });
    const departure = departureOf(body.data.url);
    await call("POST", "/auth/logout-all", { token: owner.token });
    const back = await comeBack(browser, "oidc", departure, { claims: claimsOf(departure, newPersonAtProvider()) });
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "signed_out" });
    const again = await logIn(owner);
    const insert = env.DB.prepare(
      "INSERT INTO identities (issuer, sub, id, user_id, provider, created_at) VALUES ('x', ?, ?, ?, 'oidc', 1)",
    );
    const ids = Array.from({ length: 10 }, () => crypto.randomUUID());
    await env.DB.batch(ids.map((id) => insert.bind(id, id, owner.userId)));
    expect(await link(again, newPersonAtProvider())).toEqual({ error: "too_many_identities" });
  });

  test("cannot be finished by a browser that did not begin it: nobody is made to link a stranger's sign-in", async () => {
    const [attacker, victim] = [await signUpVerified(), newBrowser()];
    const { body } = await startLinking(newBrowser(), attacker);
    const departure = departureOf(body.data.url);
    const back = await comeBack(victim, "oidc", departure, { claims: claimsOf(departure, newPersonAtProvider()) });
    expect(Object.fromEntries(back.searchParams)).toEqual({ error: "expired" });
    expect(await identitiesOf(attacker)).toEqual([]);
  });

  test("answers 503 while the provider is down", async () => {
    const { token } = await signUpVerified();
    const browser = newBrowser({ OIDC_ISSUER: "https://down.issuer.example" });
    const { status, headers } = await startLinking(browser, { token });
    expect([status, headers.get("retry-after")]).toEqual([503, "60"]);
  });
});

describe("removing an identity", () => {
  test("takes a recent sign-in, leaves the sessions, and tells the owner", async () => {
    const owner = await signUpVerified();
    const person = newPersonAtProvider();
    await link(owner, person);
    const [identity] = await identitiesOf(owner);
    const id = identity?.id ?? "";
    const stranger = await signUpVerified();
    expect((await unlink(stranger, id)).status).toBe(404);
    await age(owner.userId);
    expect((await unlink(owner, id)).body.code).toBe("STEP_UP_REQUIRED");
    const again = await logIn(owner);
    expect((await unlink(again, id)).body).toEqual({ message: "Identity removed." });
    expect([await isSignedIn(owner), await identitiesOf(owner)]).toEqual([true, []]);
    expect((await unlink(again, id)).status).toBe(404);
    await mailTo(owner.email, /no longer sign in with/);
    const { data } = (await call("GET", "/audit", { token: again.token })).body;
    expect(data[0]).toMatchObject({ action: "auth.identity_unlinked", target: { kind: "identity", id } });
  });

  test("is refused for the last way in, also of one that is off, until there is another", async () => {
    const { owner } = await withoutPassword();
    const [first] = await identitiesOf(owner);
    expect((await unlink(owner, first?.id ?? "")).body).toMatchObject({
      code: "CONFLICT",
      message: expect.stringMatching(/^This is your only way to sign in/),
    });
    await link(owner, newPersonAtProvider());
    const off = newBrowser({ OIDC_ISSUER: "", OIDC_CLIENT_ID: "", OIDC_CLIENT_SECRET: "" });
    const path = `${IDENTITIES}/${first?.id}`;
    expect((await off.send("DELETE", path, { token: owner.token })).status).toBe(409);
    expect((await unlink(owner, first?.id ?? "")).status).toBe(200);
    expect(await identitiesOf(owner)).toHaveLength(1);
  });

  test("leaves a passkey as a way in, which then is the last one", async () => {
    const { owner } = await withoutPassword();
    const [identity] = await identitiesOf(owner);
    const passkey = await addPasskey({ ...owner, refreshToken: "", tenantId: "" });
    expect((await unlink(owner, identity?.id ?? "")).status).toBe(200);
    const removed = await call("DELETE", `/auth/passkeys/${passkey.id}`, { token: owner.token });
    expect([removed.status, removed.body.code]).toEqual([409, "CONFLICT"]);
    expect((await loginWith(passkey)).status).toBe(200);
  });

  test("leaves one of the last two when both are removed at once", async () => {
    const { owner } = await withoutPassword();
    await link(owner, newPersonAtProvider());
    const both = await identitiesOf(owner);
    const answers = await Promise.all([...both, ...both, ...both].map(({ id }) => unlink(owner, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await identitiesOf(owner)).toHaveLength(1);
  });
});

test("pages of an allowed origin may send cookies to where a sign-in is bound to them, and nowhere else", async () => {
  const CORS_ORIGINS = "https://app.example";
  const preflight = async (path: string, origin: string) => {
    const browser = newBrowser({ CORS_ORIGINS });
    const { headers } = await browser.send("OPTIONS", path, { origin });
    return [headers.get("access-control-allow-origin"), headers.get("access-control-allow-credentials")];
  };
  expect(await preflight(`${OAUTH}/exchange`, "https://app.example")).toEqual(["https://app.example", "true"]);
  expect(await preflight(`${IDENTITIES}/google`, "https://app.example")).toEqual(["https://app.example", "true"]);
  expect(await preflight(`${OAUTH}/exchange`, "https://evil.example")).toEqual([null, "true"]);
  expect(await preflight("/api/v1/auth/login", "https://app.example")).toEqual(["https://app.example", null]);
});
