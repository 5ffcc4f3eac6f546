/** `GET /auth/me/export` and `GET /tenant/export`: what the service keeps about an account or a tenant. */
import type { Deps } from "../../base/deps";
import { endpoint, routes } from "../../base/http/endpoint";
import { limitedInside } from "../../base/http/rate-limit";
import { refuseOverLimit } from "../../base/limits/limiter";
import { operation } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { dataOf } from "../../base/schemas/schemas";
import { recentSignIn, recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { tenantDeletion } from "../deletion/schemas";
import { exportAccount } from "./account";
import { attachment } from "./attachment";
import { accountExport, tenantExport } from "./schemas";
import { exportTenant } from "./tenant";

const TENANT = { permission: "owner", limit: { rule: "exportTenant", per: "tenant" } } as const;

/** In place of a step-up, the forms of the console take the credentials. */
export const exports = {
  ofAccountWithCredentials: operation({
    openWhenSuspended: true,
    schema: tenantDeletion,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session }) => exportLimited(deps, session),
  }),
  ofAccount: endpoint({
    id: "exportAccount",
    summary: "Everything that the service keeps about the user, in all tenants, without secrets.",
    description:
      "Needs a sign-in, or `POST /auth/step-up`, within the last ten minutes. The user is told by mail: the export " +
      "has a year of their IP addresses.",
    openWhenSuspended: true,
    stepUp: recentSignIn,
    answers: () => ({ 200: dataOf(accountExport) }),
    first: limitedInside("exportAccount", "user"),
    verb: ({ deps, session }) => exportLimited(deps, session),
    answer: (c, data) => c.json({ data }, 200, attachment("account")),
  }),
  ofTenantWithCredentials: operation({
    ...TENANT,
    schema: tenantDeletion,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session }) => exportTenant(deps, session),
  }),
  ofTenant: endpoint({
    id: "exportTenant",
    summary: "What the service keeps about the tenant of the session, without secrets.",
    description:
      "One JSON document, streamed. Payloads, responses and values of headers are not part of it: the delivery log " +
      "has them. The audit log has an export of its own. Needs a sign-in, or `POST /auth/step-up`, within the last " +
      "ten minutes.",
    ...TENANT,
    stepUp: recentSignIn,
    answers: () => ({ 200: dataOf(tenantExport) }),
    verb: ({ deps, session }) => exportTenant(deps, session),
    answer: (c, file) => c.body(file, 200, attachment("tenant")),
  }),
};

/** The limit comes last: who has to confirm the session first would otherwise have used it up. */
async function exportLimited(deps: Deps, session: SessionPrincipal) {
  refuseOverLimit(await deps.limiter.consume("exportAccount", session.userId));
  return exportAccount(deps, session);
}

export const accountExportRoutes = routes({
  "GET /": exports.ofAccount,
});

export const tenantExportRoutes = routes({
  "GET /": exports.ofTenant,
});
