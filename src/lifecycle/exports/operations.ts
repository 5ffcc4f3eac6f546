/** What the service keeps about an account or a tenant, as a file. */
import { requireStepUp, type StepUpCredentials } from "../../identity/step-up/confirm";
import type { Deps } from "../../platform/deps";
import { refuseOverLimit } from "../../platform/limits/limiter";
import { operation } from "../../platform/operation";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { tenantDeletion } from "../deletion/schemas";
import { exportAccount } from "./account";
import { exportTenant } from "./tenant";

const TENANT = { permission: "owner", limit: { rule: "exportTenant", per: "tenant" } } as const;

/** In place of a step-up, the forms of the console take the credentials. */
export const exports = {
  ofAccountWithCredentials: operation({
    schema: tenantDeletion,
    verb: ({ deps, session, input }) => exportConfirmed(deps, session, input),
  }),
  ofAccount: operation({ verb: ({ deps, session }) => exportConfirmed(deps, session) }),
  ofTenantWithCredentials: operation({
    ...TENANT,
    schema: tenantDeletion,
    verb: async ({ deps, session, input }) => {
      await requireStepUp(deps, session, input);
      return exportTenant(deps, session);
    },
  }),
  ofTenant: operation({
    ...TENANT,
    verb: async ({ deps, session }) => {
      await requireStepUp(deps, session);
      return exportTenant(deps, session);
    },
  }),
};

/** The limit comes last: who has to confirm the session first would otherwise have used it up. */
async function exportConfirmed(deps: Deps, session: SessionPrincipal, given?: StepUpCredentials) {
  await requireStepUp(deps, session, given);
  refuseOverLimit(await deps.limiter.consume("exportAccount", session.userId));
  return exportAccount(deps, session);
}
