/** `DELETE /auth/me` and `DELETE /tenant`: deleting one's own account, and the tenant of the session. */

import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { endedAccount, endedWith } from "../../identity/members/ended-keys";
import { ofTenant, ofUser } from "../../tenancy/directory/paths";
import { deletion } from "./operations";

export const accountDeletionRoutes = new Hono<AppEnv>().delete(
  "/me",
  describeRoute("deleteAccount", "Deletes the user's account. All sessions and API keys end at once.", () => ({
    200: endedAccount("Account deleted."),
    errors: [
      "WRONG_PASSWORD",
      "STEP_UP_REQUIRED",
      "TOTP_REQUIRED",
      "INVALID_TOTP",
      "ACCOUNT_LOCKED",
      "LAST_OWNER",
      "CONFLICT",
    ],
    description:
      "The address is free at once. The rest is removed within minutes, which a mail confirms; large tenants take " +
      "longer. `LAST_OWNER`: other members need you as an owner. `CONFLICT`: you are the only member of a tenant " +
      "and have not sent `deleteTenants`, or the tenant is suspended.",
  })),
  ...serve(deletion.ofAccount, (c, keys) => c.json(endedWith("Account deleted.", keys))),
);

export const tenantDeletionRoutes = new Hono<AppEnv>().delete(
  "/",
  describeRoute("deleteTenant", "Deletes the tenant of the session for all of its members.", () => ({
    errors: [
      "STEP_UP_REQUIRED",
      "WRONG_PASSWORD",
      "INVALID_TOTP",
      "TWO_FACTOR_NOT_ENABLED",
      "ACCOUNT_LOCKED",
      "CONFLICT",
    ],
    description:
      "All sessions and API keys in it end at once, and nothing more is delivered. The members are mailed; their " +
      "accounts stay. Needs a sign-in within the last ten minutes, or the password or a code. `CONFLICT`: the tenant " +
      "is suspended.",
  })),
  ...serve(deletion.ofTenant, saying("Tenant deleted.")),
);

/** `DELETE /platform/tenants/:tenant` and `DELETE /platform/users/:user`. */
export const platformDeletionRoutes = new Hono<AppEnv>()
  .delete(
    "/tenants/:tenant",
    describeRoute("deletePlatformTenant", "Deletes a tenant for all of its members, whose accounts stay.", () => ({
      errors: ["CONFLICT"],
      path: ofTenant,
      description: "409: the tenant is suspended.",
    })),
    ...serve(deletion.ofPlatformTenant, saying("Tenant deleted.")),
  )
  .delete(
    "/users/:user",
    describeRoute("deletePlatformUser", "Deletes a person's account. All sessions and API keys end at once.", () => ({
      200: endedAccount("Account deleted."),
      errors: ["LAST_OWNER", "CONFLICT"],
      path: ofUser,
      description:
        "`LAST_OWNER`: other members need the user as an owner. `CONFLICT`: the user is the only member of a tenant " +
        "and you have not sent `deleteTenants`, or the tenant is suspended.",
    })),
    ...serve(deletion.ofPlatformUser, (c, keys) => c.json(endedWith("Account deleted.", keys))),
  );
