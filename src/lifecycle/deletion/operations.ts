/** Deleting one's own account, and the tenant of the session. */
import { operation } from "../../platform/operation";
import { deleteAccount } from "./account";
import { accountDeletion, tenantDeletion } from "./schemas";
import { deleteTenant } from "./tenant";

export const deletion = {
  ofAccount: operation({
    limit: { rule: "deleteAccount", per: "user" },
    schema: accountDeletion,
    verb: ({ deps, session, input }) => deleteAccount(deps, session, input),
  }),
  ofTenant: operation({
    permission: "owner",
    openWhenSuspended: true,
    limit: { rule: "deleteTenant", per: "user" },
    schema: tenantDeletion,
    verb: ({ deps, session, input }) => deleteTenant(deps, session, input),
  }),
};
