/** Deleting one's own account, and the tenant of the session. */
import { operation } from "../../base/operation";
import { deleteAccount, deleteAccountBy } from "./account";
import { accountDeletion, tenantDeletion, userDeletion } from "./schemas";
import { deleteTenant, deleteTenantBy } from "./tenant";

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
  ofPlatformTenant: operation({
    scope: "tenants.write",
    limit: { rule: "platformWrite", per: "platform key" },
    verb: ({ deps, platformKey, param }) => deleteTenantBy(deps, platformKey, param("tenant")),
  }),
  ofPlatformUser: operation({
    scope: "users.write",
    limit: { rule: "platformWrite", per: "platform key" },
    schema: userDeletion,
    verb: ({ deps, platformKey, param, input }) =>
      deleteAccountBy(deps, platformKey, param("user"), input.deleteTenants),
  }),
};
