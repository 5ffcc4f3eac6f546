/** Every event that can end access to a tenant. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { noteFirstKey } from "../../src/base/db/first-keys-store";
import { createDeps } from "../../src/base/deps";
import type { AuditAction } from "../../src/base/schemas/audit-actions";
import { PASSWORD } from "./client";
import { changeTokenOf, type Insider, must, resetTokenOf } from "./insider";
import { operate, operator } from "./operators";
import { enrol } from "./two-factor";
import { NEW_PASSWORD } from "./ways-inside";

const NEW_KEY = "c144a6f37bd358f8df12faaf2e78ad96b13e71b7e6a84620ff2cae9efdf58d3b";

interface EndingEvent {
  /** What it leaves in the audit log. */
  actions: AuditAction[];
  happens(insider: Insider): Promise<unknown>;
}

const reset = async ({ email }: Insider, endCredentials: boolean) =>
  must("POST", "/auth/reset-password", undefined, {
    token: await resetTokenOf(email),
    newPassword: NEW_PASSWORD,
    endCredentials,
  });

const suspend = async (path: string) => {
  const { status } = await operate(await operator(), "POST", `${path}/suspend`, { reason: "a test" });
  if (status !== 200) throw new Error(`suspend answered ${status}`);
};

async function withKeys(insider: Insider, keys: string): Promise<void> {
  // As the job of every minute has noted it.
  await noteFirstKey(await createDeps(env, createExecutionContext()));
  insider.variables = { SECRET_KEYS: keys };
}

export const EVENTS: Record<string, EndingEvent> = {
  nothing: { actions: [], happens: async () => {} },
  reset: { actions: ["auth.password_reset"], happens: (insider) => reset(insider, false) },
  "reset of all": { actions: ["auth.password_reset"], happens: (insider) => reset(insider, true) },
  "new password": {
    actions: ["auth.password_changed"],
    happens: ({ own }) =>
      must("POST", "/auth/change-password", own.token, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  },
  "not me": {
    actions: ["notice.undone"],
    happens: ({ notMe }) => must("POST", "/auth/not-me", undefined, { token: notMe }),
  },
  "two factors": { actions: ["auth.2fa_enabled"], happens: ({ own }) => enrol(own) },
  "new address": {
    actions: ["auth.email_changed"],
    happens: async ({ own }) =>
      must("POST", "/auth/change-email/confirm", own.token, { token: await changeTokenOf(own) }),
  },
  "sign-out everywhere": {
    actions: ["auth.logout_all", "auth.logout", "session.revoked"],
    happens: ({ own }) => must("POST", "/auth/logout-all", own.token),
  },
  "sign-out by operator": {
    actions: ["operator.sessions_ended"],
    happens: async ({ own }) => operate(await operator(), "POST", `/people/${own.userId}/sessions/revoke`),
  },
  "person suspended": {
    actions: ["operator.person_suspended", "user.suspended"],
    happens: ({ own }) => suspend(`/people/${own.userId}`),
  },
  "tenant suspended": {
    actions: ["operator.tenant_suspended", "tenant.suspended"],
    happens: ({ tenantId }) => suspend(`/tenants/${tenantId}`),
  },
  removed: {
    actions: ["member.removed"],
    happens: ({ boss, own }) => must("DELETE", `/members/${own.userId}`, boss.token),
  },
  demoted: {
    actions: ["member.role_changed"],
    happens: ({ boss, own }) => must("PATCH", `/members/${own.userId}`, boss.token, { role: "member" }),
  },
  left: { actions: ["member.left"], happens: ({ own }) => must("DELETE", "/members/me", own.token) },
  "account deleted": {
    actions: ["auth.account_deleted"],
    happens: ({ own }) => must("DELETE", "/auth/me", own.token, { password: PASSWORD, deleteTenants: true }),
  },
  "tenant deleted": {
    actions: ["tenant.deleted"],
    happens: ({ boss }) => must("DELETE", "/tenant", boss.token, { password: PASSWORD }),
  },
  "policy of the tenant": {
    actions: ["tenant.security_changed"],
    async happens({ boss }) {
      await enrol(boss);
      await must("PATCH", "/tenant/security", boss.token, { requireSecondFactor: "all", graceDays: 0 });
    },
  },
  "new key in front": { actions: [], happens: (insider) => withKeys(insider, `${NEW_KEY},${env.SECRET_KEYS}`) },
  "old key gone": { actions: [], happens: (insider) => withKeys(insider, NEW_KEY) },
};
