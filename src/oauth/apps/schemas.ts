/** The apps that somebody has allowed something. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";

export const connectedApp = described(
  "ConnectedApp",
  "An app that the user has allowed something in a tenant.",
  () => ({
    id: z.string().meta({ description: "Of the client in the tenant.", examples: [`pc_4fG7h0123456789ABCDEFGHIJKLM`] }),
    client: z.object({ id: z.string(), name: z.string(), logoUrl: z.string().optional() }),
    tenant: z.object({ id, name: z.string() }),
    scopes: z.array(z.object({ resource: z.string().nullable(), name: z.string(), description: z.string() })),
    connectedAt: time,
    lastUsedAt: time.nullable(),
    grants: z.int().min(0).meta({ description: "How often the app is connected without a session." }),
  }),
);
