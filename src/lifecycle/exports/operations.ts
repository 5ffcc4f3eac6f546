/** What the service keeps about an account or a tenant, as a file. */
import { requireStepUp } from "../../identity/step-up/confirm";
import { operation } from "../../platform/operation";
import { tenantDeletion } from "../deletion/schemas";
import { exportAccount } from "./account";
import { exportTenant } from "./tenant";

const TENANT = { permission: "owner", limit: { rule: "exportTenant", per: "tenant" } } as const;

export const exports = {
  ofAccount: operation({
    limit: { rule: "exportAccount", per: "user" },
    verb: ({ deps, session }) => exportAccount(deps, session),
  }),
  /** In place of a step-up, the form of the console takes the proof. */
  ofTenantWithProof: operation({
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
