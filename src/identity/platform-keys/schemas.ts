/** Platform keys in requests and answers. */
import * as z from "zod";
import { PLATFORM_SCOPES, SCOPE_GROUPS, spelledOut } from "../../base/schemas/platform-scopes";
import { described, id, keyExpiry, name, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../accounts/step-up-schemas";

const MAX_OVERLAP_SECONDS = 604_800;
const DEFAULT_OVERLAP_SECONDS = 86_400;
/** People belong to no single tenant, so a key that sees only some tenants cannot have these. */
const NEEDS_ALL_TENANTS = /^(users\.|members\.write$|clients\.)/;

const scope = z.enum(PLATFORM_SCOPES).meta({
  id: "PlatformScope",
  description: "What a platform key may do.",
  examples: ["events.publish"],
});

export const newPlatformKey = z
  .object({
    name: name.meta({ examples: ["shop backend"] }),
    scopes: z
      .array(z.enum([...PLATFORM_SCOPES, ...SCOPE_GROUPS]))
      .min(1)
      .max(100)
      .meta({ examples: [["tenants.*", "events.publish"]] })
      .transform(spelledOut)
      .meta({ description: "What the key may do. `tenants.*` stands for all scopes that begin with `tenants.`." }),
    tenants: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .optional()
      .meta({
        description: "The only tenants that the key sees, by id or as `ext:<externalId>`. Missing: all.",
        examples: [["ext:customer-42"]],
      }),
    expiresAt: keyExpiry,
    ...stepUpFields,
  })
  .superRefine(({ scopes, tenants }, context) => {
    if (tenants === undefined) return;
    for (const refused of scopes.filter((one) => NEEDS_ALL_TENANTS.test(one))) {
      const what = refused.startsWith("clients.") ? "apps" : "people";
      const message = `A key that is limited to tenants cannot have ${refused}: ${what} belong to no single tenant`;
      context.addIssue({ code: "custom", path: ["scopes"], message });
    }
  })
  .meta({ id: "PlatformKeyInput", description: "A platform key to issue, and the operator's password or code." });

export const keyRotation = described("PlatformKeyRotation", "How a platform key is replaced.", () => ({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(DEFAULT_OVERLAP_SECONDS)
    .meta({
      description: "How long the former key still works; 0: it ends at once.",
      examples: [DEFAULT_OVERLAP_SECONDS],
    }),
  ...stepUpFields,
}));

export const platformKey = described("PlatformKey", "A platform key without its secret.", () => ({
  id,
  name: z.string().meta({ examples: ["shop backend"] }),
  prefix: z.string().meta({ description: "The key's first 8 characters and `…`.", examples: ["psk_4fG7…"] }),
  scopes: z.array(scope),
  tenants: z.array(id).optional().meta({ description: "The only tenants that the key sees. Missing: all." }),
  createdAt: time,
  lastUsedAt: time.nullable().meta({ description: "To the minute; null: never used." }),
  expiresAt: time.nullable().meta({ description: "Null: never." }),
  previousExpiresAt: time.optional().meta({ description: "When the former key ends, while it still works." }),
}));

export const issuedPlatformKey = described("IssuedPlatformKey", "A new platform key with its secret.", () => ({
  ...platformKey.unwrap().shape,
  key: z.string().meta({
    description: "The key itself. Store it now: the service cannot return it again.",
    examples: ["psk_4fG7h0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab"],
  }),
}));

export type PlatformKey = z.infer<typeof platformKey>;
export type NewPlatformKey = z.infer<typeof newPlatformKey>;
export type KeyRotation = z.infer<typeof keyRotation>;
