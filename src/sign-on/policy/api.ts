/** `/tenant/security` and `/platform/tenants/:tenant/security`: what a tenant requires of its members. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { policyChange, policy as policySchema } from "../../identity/policy/schemas";
import { recentSignIn } from "../../identity/step-up/confirm";
import { ofTenant } from "../../tenancy/directory/paths";
import { changePolicy, changePolicyBy, policyFor, policyOfTenant } from "./change";

export const policy = {
  read: endpoint({
    id: "getTenantSecurity",
    summary: "What the tenant requires of its members.",
    inConfinedSession: "refused",
    permission: "member.read",
    answers: () => ({ 200: dataOf(policySchema) }),
    verb: ({ deps, session }) => policyOfTenant(deps, session),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: "updateTenantSecurity",
    summary: "Requires a second factor or single sign-on of members, or of none.",
    description:
      "Two-factor authentication counts, and a passkey in sessions that it has opened or confirmed. After the " +
      "grace period, members without one get `SECOND_FACTOR_REQUIRED` everywhere but below `/auth/`, where they " +
      "set one up. API keys are not affected. Each change begins the grace period anew. Owners need a sign-in or " +
      "a step-up within the last ten minutes, and a second factor of their own to require one; all owners are " +
      "told. `signOn`: once the grace period is over, those who must sign on and have not get `SIGN_ON_REQUIRED` at " +
      "login, and everywhere but below `/auth/`. Owners still get in with a passkey, or with a password or mailed " +
      "code and a two-factor code; all owners are told of that. It needs an active connection, for `domains` a " +
      "proved domain, and of the owner a sign-on or a test within seven days and a second factor: 409 names what is " +
      "missing. Without a grace period, the caller's own session may end at once: `endsThisSession`.",
    permission: "owner",
    limit: { rule: "changeSecurity", per: "user" },
    schema: policyChange,
    stepUp: recentSignIn,
    errors: ["SECOND_FACTOR_REQUIRED", "CONFLICT", "SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: dataOf(policySchema) }),
    verb: ({ deps, session, input }) => changePolicy(deps, session, input),
    answer: (c, data) => c.json({ data }),
  }),
  readByKey: endpoint({
    id: "getPlatformSecurity",
    summary: "What a tenant requires of its members.",
    scope: "tenants.read",
    limit: { rule: "platformRead", per: "platform key" },
    answers: () => ({ 200: dataOf(policySchema), path: ofTenant }),
    verb: ({ deps, platformKey, param }) => policyFor(deps, platformKey, param("tenant")),
    answer: (c, data) => c.json({ data }),
  }),
  changeByKey: endpoint({
    id: "updatePlatformSecurity",
    summary: "Requires a second factor or single sign-on of a tenant's members, as its owners can.",
    description: "All owners are told.",
    scope: "tenants.write",
    limit: { rule: "platformWrite", per: "platform key" },
    schema: policyChange,
    errors: ["CONFLICT", "SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: dataOf(policySchema), path: ofTenant }),
    verb: ({ deps, platformKey, param, input }) => changePolicyBy(deps, platformKey, param("tenant"), input),
    answer: (c, data) => c.json({ data }),
  }),
};

export const platformPolicyRoutes = routes({
  "GET /:tenant/security": policy.readByKey,
  "PATCH /:tenant/security": policy.changeByKey,
});

export const policyRoutes = routes({
  "GET /": policy.read,
  "PATCH /": policy.change,
});
