/** `DELETE /auth/me` and `DELETE /tenant`: deleting one's own account, and the tenant of the session. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { endedAccount, endedWith } from "../../identity/members/ended-keys";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { ofTenant, ofUser } from "../../tenancy/directory/paths";
import { deleteAccount, deleteAccountBy, recentSignInOrPassword } from "./account";
import { accountDeletion, tenantDeletion, userDeletion } from "./schemas";
import { deleteTenant, deleteTenantBy, refuseSuspended } from "./tenant";

export const deletion = {
  ofAccount: endpoint({
    id: "deleteAccount",
    summary: "Deletes the user's account. All sessions and API keys end at once.",
    description:
      "The address is free at once. The rest is removed within minutes, which a mail confirms; large tenants take " +
      "longer. `LAST_OWNER`: other members need you as an owner. `CONFLICT`: you are the only member of a tenant " +
      "and have not sent `deleteTenants`, or the tenant is suspended.",
    openWhenSuspended: true,
    limit: { rule: "deleteAccount", per: "user" },
    schema: accountDeletion,
    stepUp: recentSignInOrPassword,
    errors: ["WRONG_PASSWORD", "TOTP_REQUIRED", "INVALID_TOTP", "ACCOUNT_LOCKED", "LAST_OWNER", "CONFLICT"],
    answers: () => ({ 200: endedAccount("Account deleted.") }),
    verb: ({ deps, session, input }) => deleteAccount(deps, session, input),
    answer: (c, keys) => c.json(endedWith("Account deleted.", keys)),
  }),
  ofTenant: endpoint({
    id: "deleteTenant",
    summary: "Deletes the tenant of the session for all of its members.",
    description:
      "All sessions and API keys in it end at once, and nothing more is delivered. The members are mailed; their " +
      "accounts stay. Needs a sign-in within the last ten minutes, or the password or a code. `CONFLICT`: the tenant " +
      "is suspended.",
    permission: "owner",
    openWhenSuspended: true,
    limit: { rule: "deleteTenant", per: "user" },
    schema: tenantDeletion,
    refuse: ({ session }) => refuseSuspended(session),
    stepUp: recentSignInOrCredentials,
    errors: ["CONFLICT"],
    verb: ({ deps, session }) => deleteTenant(deps, session),
    answer: saying("Tenant deleted."),
  }),
  ofPlatformTenant: endpoint({
    id: "deletePlatformTenant",
    summary: "Deletes a tenant for all of its members, whose accounts stay.",
    description: "409: the tenant is suspended.",
    scope: "tenants.write",
    limit: { rule: "platformWrite", per: "platform key" },
    errors: ["CONFLICT"],
    answers: () => ({ path: ofTenant }),
    verb: ({ deps, platformKey, param }) => deleteTenantBy(deps, platformKey, param("tenant")),
    answer: saying("Tenant deleted."),
  }),
  ofPlatformUser: endpoint({
    id: "deletePlatformUser",
    summary: "Deletes a person's account. All sessions and API keys end at once.",
    description:
      "`LAST_OWNER`: other members need the user as an owner. `CONFLICT`: the user is the only member of a tenant " +
      "and you have not sent `deleteTenants`, or the tenant is suspended.",
    scope: "users.write",
    limit: { rule: "platformWrite", per: "platform key" },
    schema: userDeletion,
    errors: ["LAST_OWNER", "CONFLICT"],
    answers: () => ({ 200: endedAccount("Account deleted."), path: ofUser }),
    verb: ({ deps, platformKey, param, input }) =>
      deleteAccountBy(deps, platformKey, param("user"), input.deleteTenants),
    answer: (c, keys) => c.json(endedWith("Account deleted.", keys)),
  }),
};

export const accountDeletionRoutes = routes({
  "DELETE /me": deletion.ofAccount,
});

export const tenantDeletionRoutes = routes({
  "DELETE /": deletion.ofTenant,
});

/** `DELETE /platform/tenants/:tenant` and `DELETE /platform/users/:user`. */
export const platformDeletionRoutes = routes({
  "DELETE /tenants/:tenant": deletion.ofPlatformTenant,
  "DELETE /users/:user": deletion.ofPlatformUser,
});
