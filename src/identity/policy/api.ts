/** `/tenant/security` and `/platform/tenants/:tenant/security`: what a tenant requires of its members. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { ofTenant } from "../../tenancy/directory/paths";
import { recentSignIn } from "../step-up/confirm";
import { changePolicy, changePolicyBy, policyFor, policyOfTenant } from "./change";
import { policyChange, policy as policySchema } from "./schemas";

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
    summary: "Requires a second factor of all members, of owners and admins, or of none.",
    description:
      "Two-factor authentication counts, and a passkey in sessions that it has opened or confirmed. After the " +
      "grace period, members without one get `SECOND_FACTOR_REQUIRED` everywhere but below `/auth/`, where they " +
      "set one up. API keys are not affected. Each change begins the grace period anew. Owners need a sign-in or " +
      "a step-up within the last ten minutes, and a second factor of their own to require one; all owners are " +
      "told.",
    permission: "owner",
    limit: { rule: "changeSecurity", per: "user" },
    schema: policyChange,
    stepUp: recentSignIn,
    errors: ["SECOND_FACTOR_REQUIRED"],
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
    summary: "Requires a second factor of a tenant's members, as its owners can.",
    description: "All owners are told.",
    scope: "tenants.write",
    limit: { rule: "platformWrite", per: "platform key" },
    schema: policyChange,
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
