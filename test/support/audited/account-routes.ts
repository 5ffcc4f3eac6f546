/** What each route of an account leaves in the audit log, and a request of each. */
import { finished, newApp } from "../apps";
import { logIn, newEmail, PASSWORD, signUp, signUpVerified } from "../client";
import { codeIn, mailTo, tokenIn } from "../mailbox";
import { newBrowser, newPersonAtProvider, signInAs } from "../oauth";
import { loginWith, registerWithPasskey, withPasskey } from "../passkeys";
import { invite, joinTenant } from "../people";
import { codeOf, enrol } from "../two-factor";
import { askedToRemove, byOwner, must, type Recorded } from "./acts";
import { CLIENT_ROUTES } from "./client-routes";

export const ACCOUNT_ROUTES: Recorded = {
  "POST /auth/register": [["auth.registered"], signUp],
  "POST /auth/login": [["auth.login"], async () => logIn(await signUp())],
  "POST /auth/code/verify": [
    ["auth.login"],
    async () => {
      const owner = await signUpVerified();
      const { data } = await must("POST", "/auth/code", { email: owner.email });
      const code = codeIn(await mailTo(owner.email, /sign-in code/));
      const opened = await must("POST", "/auth/code/verify", { state: data.state, code });
      return { token: opened.data.accessToken };
    },
  ],
  "POST /auth/logout": [
    ["auth.logout"],
    async () => {
      const owner = await signUp();
      await must("POST", "/auth/logout", { refreshToken: (await logIn(owner)).refreshToken });
      return owner;
    },
  ],
  "POST /auth/logout-all": [
    ["auth.login", "auth.logout_all"],
    async () => {
      const owner = await signUp();
      await must("POST", "/auth/logout-all", undefined, owner.token);
      return logIn(owner);
    },
  ],
  "DELETE /auth/sessions/:id": [
    ["session.revoked"],
    async () => {
      const owner = await logIn(await signUp());
      const [first] = (await must("GET", "/auth/sessions", undefined, owner.token)).data;
      await must("DELETE", `/auth/sessions/${first.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /auth/switch-tenant": [
    ["auth.login"],
    async () => {
      const [host, guest] = [await signUp(), await signUp()];
      const token = await invite(host, guest.email, "admin");
      await must("POST", "/invitations/accept", { token }, guest.token);
      const { data } = await must("POST", "/auth/switch-tenant", { tenantId: host.tenantId }, guest.token);
      return { token: data.accessToken };
    },
  ],
  "POST /auth/oauth/exchange": [
    ["auth.login", "auth.identity_linked"],
    async () => {
      const owner = await signUpVerified();
      const { body } = await signInAs(
        newBrowser({ LINK_BY_EMAIL: "always" }),
        newPersonAtProvider({ email: owner.email }),
      );
      return { token: body.data.accessToken };
    },
  ],
  "DELETE /auth/apps/:id": [
    ["app.disconnected", "app.connected"],
    async () => {
      const owner = await signUpVerified();
      await finished(await newApp(), owner);
      const [app] = (await must("GET", "/auth/apps", undefined, owner.token)).data;
      await must("DELETE", `/auth/apps/${app.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "PUT /tenant/apps/:client": [
    ["app.allowed", "app.blocked"],
    async () => {
      const [owner, { id }] = [await signUpVerified(), await newApp()];
      for (const state of ["blocked", "allowed"]) await must("PUT", `/tenant/apps/${id}`, { state }, owner.token);
      return owner;
    },
  ],
  ...CLIENT_ROUTES,
  "DELETE /auth/identities/:id": [
    ["auth.identity_unlinked"],
    async () => {
      const owner = await signUpVerified();
      const { body } = await signInAs(
        newBrowser({ LINK_BY_EMAIL: "always" }),
        newPersonAtProvider({ email: owner.email }),
      );
      const { accessToken: token } = body.data;
      const [identity] = (await must("GET", "/auth/identities", undefined, token)).data;
      await must("DELETE", `/auth/identities/${identity.id}`, undefined, token);
      return { token };
    },
  ],
  "POST /auth/verify-email": [
    ["auth.email_verified"],
    async () => {
      const owner = await signUp();
      await must("POST", "/auth/verify-email", { token: tokenIn(await mailTo(owner.email, /Verify/)) });
      return owner;
    },
  ],
  "POST /auth/forgot-password": [
    ["auth.password_reset_requested"],
    async () => {
      const owner = await signUpVerified();
      await must("POST", "/auth/forgot-password", { email: owner.email });
      await mailTo(owner.email, /Reset/);
      return owner;
    },
  ],
  "POST /auth/reset-password": [
    ["auth.login", "auth.password_reset"],
    async () => {
      const owner = await signUpVerified();
      await must("POST", "/auth/forgot-password", { email: owner.email });
      const token = tokenIn(await mailTo(owner.email, /Reset/));
      await must("POST", "/auth/reset-password", { token, newPassword: "another pass phrase" });
      return logIn(owner, "another pass phrase");
    },
  ],
  "POST /auth/change-password": [
    ["auth.password_changed"],
    byOwner("POST", "/auth/change-password", { currentPassword: PASSWORD, newPassword: "another pass phrase" }),
  ],
  "PATCH /auth/me": [["auth.name_changed"], byOwner("PATCH", "/auth/me", { name: "Ada" })],
  "POST /auth/change-email": [
    ["auth.email_change_requested"],
    byOwner("POST", "/auth/change-email", { email: "ada.new@example.com" }),
  ],
  "POST /auth/change-email/confirm": [
    ["auth.email_changed", "auth.email_change_requested"],
    async () => {
      const [owner, email] = [await signUpVerified(), newEmail()];
      await must("POST", "/auth/change-email", { email }, owner.token);
      const token = tokenIn(await mailTo(email, /Confirm your new/));
      await must("POST", "/auth/change-email/confirm", { token }, owner.token);
      return owner;
    },
  ],
  "POST /auth/register/passkey": [
    ["auth.registered"],
    async () => {
      const { answer } = await registerWithPasskey({ email: newEmail() });
      return { token: answer.body.data.accessToken };
    },
  ],
  "POST /auth/passkeys/login": [
    ["auth.login"],
    async () => {
      const { body } = await loginWith((await withPasskey()).passkey);
      return { token: body.data.accessToken };
    },
  ],
  "POST /auth/passkeys": [["auth.passkey_added"], async () => (await withPasskey()).person],
  "DELETE /auth/passkeys/:id": [
    ["auth.passkey_removed"],
    async () => {
      const { person, passkey } = await withPasskey();
      await must("DELETE", `/auth/passkeys/${passkey.id}`, undefined, person.token);
      return person;
    },
  ],
  "POST /auth/step-up": [["auth.step_up"], byOwner("POST", "/auth/step-up", { password: PASSWORD })],
  "DELETE /auth/me": [
    ["auth.account_deleted"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("DELETE", "/auth/me", { password: PASSWORD }, guest.token);
      return owner;
    },
  ],
  "POST /auth/not-me": [
    ["notice.undone"],
    async () => {
      const owner = await signUpVerified();
      const other = await joinTenant(owner, "admin");
      await must(
        "POST",
        "/auth/change-password",
        { currentPassword: PASSWORD, newPassword: "a thief's one" },
        owner.token,
      );
      await must("POST", "/auth/not-me", { token: tokenIn(await mailTo(owner.email, /was changed/)) });
      return other;
    },
  ],
  "POST /auth/2fa/verify": [
    ["auth.2fa_enabled"],
    async () => {
      const owner = await signUpVerified();
      await enrol(owner);
      return owner;
    },
  ],
  "POST /auth/2fa/disable": [
    ["auth.2fa_disabled"],
    async () => {
      const owner = await signUpVerified();
      await must("POST", "/auth/2fa/disable", { token: codeOf(await enrol(owner)) }, owner.token);
      return owner;
    },
  ],
  "POST /auth/2fa/recovery-codes": [
    ["auth.recovery_used", "auth.login", "auth.recovery_codes_renewed"],
    async () => {
      const owner = await signUpVerified();
      const body = { token: codeOf(await enrol(owner)) };
      const { data } = await must("POST", "/auth/2fa/recovery-codes", body, owner.token);
      return logIn(owner, PASSWORD, { totp: data.recoveryCodes[0] });
    },
  ],
  "POST /auth/2fa/remove": [
    ["auth.login", "auth.2fa_removed", "operator.2fa_removal_mailed"],
    async () => {
      const { person } = await askedToRemove();
      await must("POST", "/auth/2fa/remove", { token: tokenIn(await mailTo(person.email, /Remove your lost/)) });
      return logIn(person);
    },
  ],
};
