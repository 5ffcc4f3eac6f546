/** Right and wrong uses of the routes of accounts, by what they are about. */
import { Secret, TOTP } from "otpauth";
import { expect } from "vitest";
import { finished, newApp } from "../apps";
import { make, show } from "../authenticator";
import { call, newEmail, signUpVerified } from "../client";
import { codeIn, mailTo } from "../mailbox";
import { claimsOf, codeFor, comeBack, depart, departureOf, exchange, newBrowser, newPersonAtProvider } from "../oauth";
import { ask, fresh, keep, keepFields, keepTokenOf, login, register, session, verified } from "./caller";

export const ACCOUNT_USES: Record<string, () => Promise<void>> = {
  "registration, verification, login, sessions": async () => {
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
    for (const name of ["Ada", ""]) await ask("PATCH", "/auth/me", { name }, user.token);
    const email = newEmail();
    await ask("POST", "/auth/change-email", { email, password: fresh("password") }, user.token);
    await ask("POST", "/auth/change-email", { email, password: user.password }, user.token);
    const links = [
      keepTokenOf(await mailTo(email, /Confirm/)),
      keepTokenOf(await mailTo(user.email, /about to change/)),
    ];
    for (const token of [fresh("mailed-token"), ...links])
      await ask("POST", "/auth/change-email/confirm", { token }, user.token);
    user.email = email;
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
  },

  "two factors": async () => {
    const user = await verified();
    const code = async (action: string, token: string) => ask("POST", `/auth/2fa/${action}`, { token }, user.token);
    await code("disable", "123456");
    const { secret } = (await ask("POST", "/auth/2fa/enable", undefined, user.token)).body.data;
    const now = (steps = 0) =>
      new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
    await code("verify", fresh("code"));
    await code("verify", now());
    await ask("POST", "/auth/2fa/enable", undefined, user.token);
    await code("recovery-codes", fresh("code"));
    const made = await code("recovery-codes", now(1));
    const [first, second] = made.body.data.recoveryCodes as string[];
    await login(user);
    await login(user, { totp: fresh("code") });
    expect((await login(user, { totp: first })).status).toBe(200);
    expect((await code("disable", second ?? "")).status).toBe(200);
  },

  passwords: async () => {
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
  },

  "mailed codes": async () => {
    const user = await verified();
    await ask("POST", "/auth/code", { email: "nobody" });
    const state = keep((await ask("POST", "/auth/code", { email: user.email })).body.data.state);
    const code = keep(codeIn(await mailTo(user.email, /sign-in code/)));
    await ask("POST", "/auth/code/verify", { state, code: fresh("code") });
    expect((await ask("POST", "/auth/code/verify", { state, code })).status).toBe(200);
  },

  passkeys: async () => {
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
    const account = { email: newEmail(), captchaToken: fresh("captcha") };
    const { data } = (await ask("POST", "/auth/register/passkey/options", account)).body;
    await ask("POST", "/auth/register/passkey/options", {});
    const made = await make(data);
    for (const state of [fresh("state"), keep(data.state)]) {
      await ask("POST", "/auth/register/passkey", { state, response: made.response, name: "phone" });
    }
    await ask("POST", "/auth/register/passkey/options", { email: fresh("not an address") });
    await ask("DELETE", path, undefined, user.token);
    await ask("DELETE", path, undefined, user.token);
    await ask("POST", "/auth/step-up/options", undefined, user.token);
    await ask("POST", "/auth/passkeys/options", undefined, fresh("access-token"));
    await call("POST", "/auth/passkeys/login/options", { raw: "x", headers: { "content-type": "text/plain" } });
  },

  "sign-in with a provider": async () => {
    const user = await verified();
    const browser = newBrowser({ LINK_BY_EMAIL: "always" });
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
  },

  "apps that people connect": async () => {
    const person = await signUpVerified();
    const { answered, tokens } = await finished(await newApp(), person, undefined, { scope: "openid offline_access" });
    const { access_token, refresh_token, id_token } = tokens;
    for (const secret of [answered.searchParams.get("code"), access_token, refresh_token, id_token]) {
      keep(secret ?? undefined);
    }
    const [app] = (await ask("GET", "/auth/apps", undefined, person.token)).body.data;
    for (const client of [app.client.id, "nobody"]) {
      await ask("PUT", `/tenant/apps/${client}`, { state: null }, person.token);
    }
    await ask("PUT", `/tenant/apps/${app.client.id}`, { state: fresh("state") }, person.token);
    for (let times = 0; times < 2; times += 1) await ask("DELETE", `/auth/apps/${app.id}`, undefined, person.token);
  },

  "step-up, and deleting an account and a tenant": async () => {
    const [one, other] = [await verified(), await verified()];
    for (const password of [fresh("password"), one.password]) {
      await ask("POST", "/auth/step-up", { password }, one.token);
      await ask("DELETE", "/tenant", { password }, one.token);
    }
    for (const password of [fresh("password"), other.password]) {
      await ask("DELETE", "/auth/me", { password, deleteTenants: true }, other.token);
    }
  },
};
