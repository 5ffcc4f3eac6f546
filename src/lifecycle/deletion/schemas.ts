/** Deleting accounts and tenants, in requests. */
import * as z from "zod";
import { described, givenPassword, opaqueToken } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";

const deleteTenants = z.boolean().optional().meta({
  description: "Whether tenants that nobody else is a member of are deleted too, with all their data.",
});

export const accountDeletion = described("AccountDeletion", "What deletes the signed-in user's account.", () => ({
  password: givenPassword.optional().meta({
    description: "Required if the account has one. Otherwise, a sign-in within the last ten minutes is required.",
  }),
  totp: opaqueToken.optional().meta({
    description: "A TOTP or recovery code. Required when two-factor authentication is on.",
    examples: ["123456"],
  }),
  deleteTenants,
}));

export const tenantDeletion = z.object(stepUpFields).meta({ id: "TenantDeletion" });

export const userDeletion = described("PlatformUserDeletion", "What deletes a user's account.", () => ({
  deleteTenants,
}));
