/** The former address of an account can undo a change for 72 hours. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { call, logIn, PASSWORD, signUpVerified } from "../support/client";
import { ask, asked, confirm, login, me, moved, register, report, turn } from "../support/email-change";
import { mailsTo, mailTo, tokenIn } from "../support/mailbox";
import { newBrowser, newPersonAtProvider, signInAs } from "../support/oauth";
import { codeOf, enrol } from "../support/two-factor";

afterEach(() => void vi.useRealTimers());

describe("the former address", () => {
  test("undoes a thief's change for 72 hours: the address is back, and everything ends", async () => {
    const owner = await signUpVerified();
    const thief = await logIn(owner);
    const { email, undo } = await moved(thief);
    const secret = await enrol(thief);
    expect((await report(undo)).status).toBe(200);
    for (const session of [owner, thief]) {
      expect((await call("GET", "/auth/me", { token: session.token })).status).toBe(401);
    }
    expect((await login(email, { totp: codeOf(secret, 1) })).status).toBe(401);
    const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "another one 42" } });
    const back = await login(owner.email, { password: "another one 42" });
    expect(back.status).toBe(200);
    expect(await me({ ...owner, token: back.body.data.accessToken })).toMatchObject({
      email: owner.email,
      emailVerified: true,
      twoFactorEnabled: false,
    });
    expect((await report(undo)).body.code).toBe("INVALID_TOKEN");
  });

  test("stops a change that was only asked for", async () => {
    const owner = await signUpVerified();
    const { token } = await asked(owner);
    const warning = tokenIn(await mailTo(owner.email, /about to change/));
    expect((await report(warning)).status).toBe(200);
    const stored = await env.DB.prepare("SELECT purpose FROM email_tokens WHERE subject_id = ? AND purpose = ?")
      .bind(owner.userId, "change-email")
      .all();
    expect(stored.results).toEqual([]);
    const thief = await logIn(owner, PASSWORD).catch(() => null);
    expect(thief).toBeNull();
    expect((await confirm(owner, token)).status).toBe(401);
  });

  test("a link of an earlier mail gives it back too, with the second factor that the thief has turned off", async () => {
    const owner = await signUpVerified();
    const secret = await enrol(owner);
    const made = await call("POST", "/auth/2fa/recovery-codes", {
      token: owner.token,
      body: { token: codeOf(secret) },
    });
    const [first, second] = made.body.data.recoveryCodes as string[];
    const thief = await logIn(owner, PASSWORD, { totp: first });
    await call("POST", "/api-keys", { token: thief.token, body: { name: "tap", scopes: ["webhook.read"] } });
    const earlier = tokenIn(await mailTo(owner.email, /API key/));
    const { email } = await moved(thief);
    await call("POST", "/auth/2fa/disable", { token: thief.token, body: { token: second } });
    await mailTo(email, /turned off/);
    const own = await enrol(thief);
    expect((await report(earlier)).status).toBe(200);
    await mailTo(owner.email, /Reset your password/);
    expect(mailsTo(email).filter(({ subject }) => /Reset/.test(subject))).toEqual([]);
    const user = await env.DB.prepare(
      "SELECT email, password_hash, totp_enabled_at IS NOT NULL AS has FROM users WHERE id = ?",
    )
      .bind(owner.userId)
      .first();
    expect(user).toEqual({ email: owner.email, password_hash: "", has: 1 });
    const reset = tokenIn(await mailTo(owner.email, /Reset your password/));
    await call("POST", "/auth/reset-password", { body: { token: reset, newPassword: "another one 42" } });
    expect((await login(owner.email, { password: "another one 42", totp: codeOf(own, 1) })).status).toBe(401);
    expect((await login(owner.email, { password: "another one 42", totp: codeOf(secret, 1) })).status).toBe(200);
  });

  test("is nobody else's for 72 hours: not by registration, a provider, or another change", async () => {
    const [owner, other] = [await signUpVerified(), await signUpVerified()];
    const { email: second } = await moved(owner);
    expect((await register(owner.email)).body.code).toBe("EMAIL_TAKEN");
    const person = newPersonAtProvider({ email: owner.email });
    expect((await signInAs(newBrowser(), person)).body.code).toBe("CONFLICT");
    await ask(other, owner.email);
    await mailTo(owner.email, /cannot be used/);
    // Their own way back is open.
    const { token } = await asked(owner, owner.email);
    expect((await confirm(owner, token)).status).toBe(200);
    expect((await me(owner)).email).toBe(owner.email);
    turn(73);
    expect((await register(second)).status).toBe(201);
  });

  test("after two changes, the first address gets the account back and the second one's link ends", async () => {
    const owner = await signUpVerified();
    const thief = await logIn(owner);
    const { email: second, undo } = await moved(thief);
    const { undo: later } = await moved(thief, second);
    expect((await report(undo)).status).toBe(200);
    expect((await report(later)).body.code).toBe("INVALID_TOKEN");
    const user = await env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(owner.userId).first();
    expect(user).toEqual({ email: owner.email });
  });
});
