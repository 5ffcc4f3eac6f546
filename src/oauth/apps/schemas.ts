/** The apps that somebody has allowed something. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";

const app = z
  .object({
    id: z.string(),
    name: z.string(),
    host: z.string().optional().meta({ description: "Of an app that nobody has registered." }),
    logoUrl: z.string().optional(),
  })
  .meta({ id: "AppName", description: "An app that people sign in to, by its client." });

const state = z
  .enum(["allowed", "blocked"])
  .nullable()
  .meta({ description: "`blocked`: nobody gets through, and its tokens have ended. Null: nothing is said." });

export const tenantApp = described("TenantApp", "An app that members of the tenant have allowed something.", () => ({
  client: app,
  members: z.int().min(0).meta({ description: "How many members have allowed it something; at most 1,000." }),
  state,
}));

export const platformApp = described("PlatformApp", "An app, and whether operators have blocked it.", () => ({
  client: app,
  state,
  lastUsedAt: time.nullable(),
}));

export const tenantRule = z
  .strictObject({ state })
  .meta({ id: "TenantAppRule", description: "What the tenant says of an app; null: nothing any more." });

export const platformRule = z
  .strictObject({ state: z.enum(["blocked"]).nullable(), ...stepUpFields })
  .meta({ id: "PlatformAppRule", description: "What operators say of an app; null: nothing any more." });

export const connectedApp = described(
  "ConnectedApp",
  "An app that the user has allowed something in a tenant.",
  () => ({
    id: z.string().meta({ description: "Of the client in the tenant.", examples: [`pc_4fG7h0123456789ABCDEFGHIJKLM`] }),
    client: app,
    tenant: z.object({ id, name: z.string() }),
    scopes: z.array(z.object({ resource: z.string().nullable(), name: z.string(), description: z.string() })),
    connectedAt: time,
    lastUsedAt: time.nullable(),
    grants: z.int().min(0).meta({ description: "How often the app is connected without a session." }),
  }),
);
