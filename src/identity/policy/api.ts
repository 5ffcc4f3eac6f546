/** `/tenant/security`: what the tenant of the session requires of its members. */
import { endpoint, routes } from "../../base/http/endpoint";
import { dataOf } from "../../base/schemas/schemas";
import { recentSignIn } from "../step-up/confirm";
import { changePolicy, policyOfTenant } from "./change";
import { policyChange, policy as policySchema } from "./schemas";

export const policy = {
  read: endpoint({
    id: "getTenantSecurity",
    summary: "What the tenant requires of its members.",
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
};

export const policyRoutes = routes({
  "GET /": policy.read,
  "PATCH /": policy.change,
});
