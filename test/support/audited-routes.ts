/** What each route that changes something leaves in the audit log, and a request of each. */
import type { AuditAction } from "../../src/audit/actions";
import { call, logIn, newEmail, PASSWORD, type Person, signUp, signUpVerified } from "./client";
import { codeIn, mailTo, tokenIn } from "./mailbox";
import { newBrowser, newPersonAtProvider, signInAs } from "./oauth";
import { operator } from "./operators";
import { loginWith, withPasskey } from "./passkeys";
import { invite, joinTenant } from "./people";
import { newInbox, subscribe } from "./receiver";
import { codeOf, enrol } from "./two-factor";

/** Sends the request of a route and returns who can read what it has left. */
type Act = () => Promise<Pick<Person, "token">>;

export const must = async (method: string, path: string, body?: unknown, token?: string) => {
  const answer = await call(method, path, { ...(body === undefined ? {} : { body }), token });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`);
  return answer.body;
};

/** An owner, and a request of theirs. */
const byOwner =
  (method: string, path: string, body?: unknown): Act =>
  async () => {
    const owner = await signUpVerified();
    await must(method, path, body, owner.token);
    return owner;
  };

/** An owner with a subscription, and a request about it. */
const onWebhook =
  (method: string, path: string, body?: unknown, fields: Record<string, unknown> = {}): Act =>
  async () => {
    const owner = await signUpVerified();
    const id = await subscribe(owner, newInbox("200").url, fields);
    await must(method, `/webhooks/${id}${path}`, body, owner.token);
    return owner;
  };

const key = { name: "key", scopes: ["webhook.read"] };
export const since = () => new Date(Date.now() - 60_000).toISOString();

/** An operator's request about the tenant of an owner, who can read what it has left. */
const aboutTenant =
  (...paths: string[]): Act =>
  async () => {
    const [op, owner] = [await operator(), await signUpVerified()];
    for (const path of paths) {
      await must("POST", `/operator/tenants/${owner.tenantId}${path}`, { reason: "a test" }, op.token);
    }
    return owner;
  };

/** The same about a person; the operator can read it. */
const aboutPerson =
  (...paths: string[]): Act =>
  async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    for (const path of paths) {
      await must("POST", `/operator/people/${person.userId}${path}`, { reason: "a test" }, op.token);
    }
    return op;
  };

/** A person whom an operator has mailed the link that removes a lost second factor. */
async function askedToRemove() {
  const [op, person] = [await operator(), await signUpVerified()];
  await enrol(person);
  await must("POST", `/operator/people/${person.userId}/two-factor/remove`, {}, op.token);
  return { op, person };
}

/** The newest events after a request, newest first. */
export const RECORDED: Record<string, [actions: AuditAction[], act: Act]> = {
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
      const { body } = await signInAs(newBrowser(), newPersonAtProvider({ email: owner.email }));
      return { token: body.data.accessToken };
    },
  ],
  "DELETE /auth/identities/:id": [
    ["auth.identity_unlinked"],
    async () => {
      const owner = await signUpVerified();
      const { body } = await signInAs(newBrowser(), newPersonAtProvider({ email: owner.email }));
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
  "POST /api-keys": [["api_key.created"], byOwner("POST", "/api-keys", key)],
  "DELETE /api-keys/:id": [
    ["api_key.deleted"],
    async () => {
      const owner = await signUp();
      const { data } = await must("POST", "/api-keys", key, owner.token);
      await must("DELETE", `/api-keys/${data.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /invitations": [
    ["member.invited"],
    async () => byOwner("POST", "/invitations", { email: newEmail(), role: "viewer" })(),
  ],
  "DELETE /invitations/:id": [
    ["member.invitation_revoked"],
    async () => {
      const owner = await signUpVerified();
      const { data } = await must("POST", "/invitations", { email: newEmail(), role: "viewer" }, owner.token);
      await must("DELETE", `/invitations/${data.id}`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /invitations/accept": [
    ["auth.email_verified", "member.joined"],
    async () => {
      const [owner, guest] = [await signUp(), await signUp()];
      const token = await invite(owner, guest.email, "viewer");
      await must("POST", "/invitations/accept", { token }, guest.token);
      return owner;
    },
  ],
  "PATCH /members/:userId": [
    ["member.role_changed"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("PATCH", `/members/${guest.userId}`, { role: "admin" }, owner.token);
      return owner;
    },
  ],
  "DELETE /members/:userId": [
    ["member.removed"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("DELETE", `/members/${guest.userId}`, undefined, owner.token);
      return owner;
    },
  ],
  "DELETE /members/me": [
    ["member.left"],
    async () => {
      const owner = await signUp();
      const guest = await joinTenant(owner, "viewer");
      await must("DELETE", "/members/me", undefined, guest.token);
      return owner;
    },
  ],
  "POST /webhooks": [
    ["webhook.created"],
    async () => {
      const owner = await signUp();
      await subscribe(owner, newInbox("200").url);
      return owner;
    },
  ],
  "PATCH /webhooks/:id": [["webhook.updated"], onWebhook("PATCH", "", { name: "other" })],
  "DELETE /webhooks/:id": [["webhook.deleted"], onWebhook("DELETE", "")],
  "POST /webhooks/:id/pause": [["webhook.paused"], onWebhook("POST", "/pause")],
  "POST /webhooks/:id/resume": [["webhook.resumed"], onWebhook("POST", "/resume", undefined, { enabled: false })],
  "POST /webhooks/:id/replay": [
    ["webhook.replayed"],
    async () => onWebhook("POST", "/replay", { since: since(), which: "all" })(),
  ],
  "POST /webhooks/:id/secret/rotate": [["webhook.secret_rotated"], onWebhook("POST", "/secret/rotate", {})],
  "DELETE /webhooks/:id/secret/previous": [
    ["webhook.secret_ended", "webhook.secret_rotated"],
    async () => {
      const owner = await signUp();
      const id = await subscribe(owner, newInbox("200").url);
      await must("POST", `/webhooks/${id}/secret/rotate`, {}, owner.token);
      await must("DELETE", `/webhooks/${id}/secret/previous`, undefined, owner.token);
      return owner;
    },
  ],
  "POST /operator/tenants/:id/suspend": [
    ["operator.tenant_resumed", "operator.tenant_suspended"],
    aboutTenant("/suspend", "/suspend", "/resume"),
  ],
  "POST /operator/tenants/:id/resume": [["operator.tenant_resumed"], aboutTenant("/suspend", "/resume", "/resume")],
  "POST /operator/people/:id/suspend": [["operator.person_suspended"], aboutPerson("/suspend", "/suspend")],
  "POST /operator/people/:id/resume": [["operator.person_resumed"], aboutPerson("/suspend", "/resume", "/resume")],
  "POST /operator/people/:id/sessions/revoke": [["operator.sessions_ended"], aboutPerson("/sessions/revoke")],
  "POST /operator/people/:id/two-factor/remove": [
    ["operator.2fa_removal_mailed"],
    async () => (await askedToRemove()).op,
  ],
  "POST /auth/2fa/remove": [
    ["auth.login", "auth.2fa_removed", "operator.2fa_removal_mailed"],
    async () => {
      const { person } = await askedToRemove();
      await must("POST", "/auth/2fa/remove", { token: tokenIn(await mailTo(person.email, /Remove your lost/)) });
      return logIn(person);
    },
  ],
  "POST /operator/tenants/:id/sends/hold": [["operator.sends_held"], aboutTenant("/sends/hold", "/sends/hold")],
  "POST /operator/tenants/:id/sends/release": [
    ["operator.sends_released", "operator.sends_held"],
    aboutTenant("/sends/hold", "/sends/release", "/sends/release"),
  ],
};

/** Routes that leave no event, and why. */
export const NOT_RECORDED: Record<string, string> = {
  "POST /operator/sends/hold": "recorded; it would hold the other tests' deliveries (isolated/operator-holds.test.ts)",
  "POST /operator/sends/release": "recorded; the same",
  "DELETE /tenant": "the log goes with the tenant; the owner's own activity has it (deletion.test.ts)",
  "POST /auth/code": "sends a mail and changes nothing",
  "POST /auth/refresh": "too frequent, and no change of rights",
  "POST /auth/resend-verification": "sends a mail and changes nothing",
  "POST /auth/identities/:id":
    "changes nothing until the browser is back, whose link is recorded (provider-accounts.test.ts)",
  "POST /auth/2fa/enable": "changes nothing until a code confirms it",
  "POST /auth/passkeys/options": "changes nothing",
  "POST /auth/passkeys/login/options": "changes nothing",
  "POST /auth/step-up/options": "changes nothing",
  "PATCH /auth/passkeys/:id": "a name that only the caller sees",
  "PATCH /members/me": "a preference of the caller",
  "POST /events": "an event of its own",
  "POST /events/batch": "events of their own",
  "POST /webhooks/:id/retry": "a delivery",
  "POST /webhooks/:id/deliveries/:deliveryId/retry": "a delivery",
  "POST /webhooks/:id/retry-failed": "deliveries",
  "POST /webhooks/:id/test": "a delivery",
  "DELETE /webhooks/:id/replays/:replayId": "sends less than was recorded",
};
