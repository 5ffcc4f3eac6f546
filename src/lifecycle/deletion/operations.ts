/** Deleting one's own account, and the tenant of the session. */
import { operation } from "../../base/operation";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { deleteAccount, deleteAccountBy, recentSignInOrPassword } from "./account";
import { accountDeletion, tenantDeletion, userDeletion } from "./schemas";
import { deleteTenant, deleteTenantBy, refuseSuspended } from "./tenant";

export const deletion = {
  ofAccount: operation({
    openWhenSuspended: true,
    limit: { rule: "deleteAccount", per: "user" },
    schema: accountDeletion,
    stepUp: recentSignInOrPassword,
    verb: ({ deps, session, input }) => deleteAccount(deps, session, input),
  }),
  ofTenant: operation({
    permission: "owner",
    openWhenSuspended: true,
    limit: { rule: "deleteTenant", per: "user" },
    schema: tenantDeletion,
    refuse: ({ session }) => refuseSuspended(session),
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session }) => deleteTenant(deps, session),
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
