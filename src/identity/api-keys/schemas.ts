/** API keys in requests and answers. */
import { z } from "zod";
import { id, keyExpiry, name, permission, time } from "../../platform/schemas/schemas";

export const newApiKey = z
  .object({
    name: name.meta({ examples: ["CI"] }),
    scopes: z
      .array(permission)
      .min(1)
      .max(100)
      .meta({ examples: [["event.publish"]] })
      .transform((scopes) => [...new Set(scopes)])
      .meta({ description: "What the key may do, as far as the role of its owner allows it." }),
    expiresAt: keyExpiry,
  })
  .meta({ id: "NewApiKey", description: "A key to issue." });

export const apiKey = z
  .object({
    id,
    name: z.string().meta({ examples: ["CI"] }),
    prefix: z.string().meta({ description: "The key's first 8 characters and `…`.", examples: ["ak_4fG7h…"] }),
    scopes: z.array(permission).meta({ examples: [["event.publish"]] }),
    createdAt: time,
    lastUsedAt: time.nullable().meta({ description: "To the minute; null: never used." }),
    expiresAt: time.nullable().meta({ description: "Null: never." }),
  })
  .meta({ id: "ApiKey", description: "An API key without its secret." });

export const issuedApiKey = apiKey
  .extend({
    key: z.string().meta({
      description: "The key itself. Store it now: the service cannot return it again.",
      examples: ["ak_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
    }),
  })
  .meta({ id: "IssuedApiKey", description: "A new API key with its secret." });

export type ApiKey = z.infer<typeof apiKey>;
