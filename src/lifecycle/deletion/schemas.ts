/** Deleting accounts and tenants, in requests. */
import * as z from "zod";
import { stepUpFields } from "../../identity/step-up/schemas";
import { givenPassword, opaqueToken } from "../../platform/schemas/schemas";

export const accountDeletion = z
  .object({
    password: givenPassword.optional().meta({
      description: "Required if the account has one. Otherwise, a sign-in within the last ten minutes is required.",
    }),
    totp: opaqueToken.optional().meta({
      description: "A TOTP or recovery code. Required when two-factor authentication is on.",
      examples: ["123456"],
    }),
    deleteTenants: z.boolean().optional().meta({
      description: "Whether tenants that nobody else is a member of are deleted too, with all their data.",
    }),
  })
  .meta({ id: "AccountDeletion", description: "What deletes the signed-in user's account." });

export const tenantDeletion = z.object(stepUpFields).meta({ id: "TenantDeletion" });

export const userDeletion = accountDeletion
  .pick({ deleteTenants: true })
  .meta({ id: "PlatformUserDeletion", description: "What deletes a user's account." });
