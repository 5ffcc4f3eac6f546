/** API keys in requests and answers. */
import * as z from "zod";
import { described, id, keyExpiry, name, permission, time } from "../../base/schemas/schemas";

export const newApiKey = described("ApiKeyInput", "A key to issue.", () => ({
  name: name.meta({ examples: ["CI"] }),
  scopes: z
    .array(permission)
    .min(1)
    .max(100)
    .meta({ examples: [["event.publish"]] })
    .transform((scopes) => [...new Set(scopes)])
    .meta({
      description:
        "What the key may do. It gets those that your role has, and a user's key keeps them only as far as the " +
        "user's role does.",
    }),
  expiresAt: keyExpiry,
  owner: z
    .enum(["user", "tenant"])
    .default("user")
    .meta({
      description:
        "`tenant`: the key has its scopes by itself and works on when its maker leaves. For owners and admins.",
      examples: ["tenant"],
    }),
}));

export const apiKey = described("ApiKey", "An API key without its secret.", () => ({
  id,
  name: z.string().meta({ examples: ["CI"] }),
  prefix: z.string().meta({ description: "The key's first 8 characters and `…`.", examples: ["ak_4fG7h…"] }),
  scopes: z.array(permission).meta({ examples: [["event.publish"]] }),
  createdAt: time,
  lastUsedAt: time.nullable().meta({ description: "To the hour; null: never used." }),
  expiresAt: time.nullable().meta({ description: "Null: never." }),
  owner: z.literal("tenant").optional().meta({ description: "Present if the key belongs to the tenant itself." }),
}));

export const issuedApiKey = described("IssuedApiKey", "A new API key with its secret.", () => ({
  ...apiKey.unwrap().shape,
  key: z.string().meta({
    description: "The key itself. Store it now: the service cannot return it again.",
    examples: ["ak_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
  }),
}));

export type ApiKey = z.infer<typeof apiKey>;
