/** What the service keeps about an account or a tenant, as a file. */

import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { operation } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { recentSignIn, recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { tenantDeletion } from "../deletion/schemas";
import { exportAccount } from "./account";
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
  ofAccount: operation({
    openWhenSuspended: true,
    stepUp: recentSignIn,
    verb: ({ deps, session }) => exportLimited(deps, session),
  }),
  ofTenantWithCredentials: operation({
    ...TENANT,
    schema: tenantDeletion,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session }) => exportTenant(deps, session),
  }),
  ofTenant: operation({
    ...TENANT,
    stepUp: recentSignIn,
    verb: ({ deps, session }) => exportTenant(deps, session),
  }),
};

/** The limit comes last: who has to confirm the session first would otherwise have used it up. */
async function exportLimited(deps: Deps, session: SessionPrincipal) {
  refuseOverLimit(await deps.limiter.consume("exportAccount", session.userId));
  return exportAccount(deps, session);
}
