/** API keys in requests and answers. */
import { z } from "zod";
import { PERMISSIONS } from "../../platform/schemas/roles";
import { id, name, time } from "../../platform/schemas/schemas";

const scope = z.enum(PERMISSIONS);

export const newApiKey = z
  .object({
    name: name.meta({ examples: ["CI"] }),
    scopes: z
      .array(scope)
      .min(1)
      .max(100)
      .meta({ examples: [["event.publish"]] })
      .transform((scopes) => [...new Set(scopes)])
      .meta({ description: "A key never has more permissions than its owner's role." }),
    expiresAt: z.iso
      .datetime({ offset: true })
      .meta({ examples: ["2099-01-01T00:00:00Z"] })
      .transform((text) => Date.parse(text))
      .refine((timeMs) => timeMs > Date.now(), "Must be in the future")
      .nullish()
      .transform((timeMs) => timeMs ?? undefined)
      .meta({ description: "Must be in the future. Missing: the key never expires." }),
  })
  .meta({ id: "NewApiKey" });

export const apiKey = z
  .object({
    id,
    name: z.string().meta({ examples: ["CI"] }),
    prefix: z.string().meta({ description: "The key's first 8 characters and `…`.", examples: ["ak_4fG7h…"] }),
    scopes: z.array(scope).meta({ examples: [["event.publish"]] }),
    createdAt: time,
    lastUsedAt: time.nullable().meta({ description: "To the minute." }),
    expiresAt: time.nullable(),
  })
  .meta({ id: "ApiKey" });

export const issuedApiKey = apiKey
  .extend({
    key: z.string().meta({ description: "Shown once.", examples: ["ak_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"] }),
  })
  .meta({ id: "IssuedApiKey" });

export type ApiKey = z.infer<typeof apiKey>;
