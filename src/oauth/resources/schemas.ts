/** Resources in requests and answers. */
import * as z from "zod";
import { SIGN_IN_SCOPES } from "../../base/schemas/client-settings";
import { described, time } from "../../base/schemas/schemas";
import { stepUpFields } from "../../identity/accounts/step-up-schemas";
import { tenantName } from "../../tenancy/tenants/name";
import { refusalOfIdentifier } from "./identifier";

/** `scope-token` of RFC 6749 section 3.3. */
const SCOPE = /^[!#-[\]-~]{1,100}$/;

const scope = z
  .strictObject({
    name: z
      .string()
      .regex(SCOPE)
      .refine((name) => name !== "*" && !SIGN_IN_SCOPES.some((one) => one === name), "Must be none of OpenID Connect"),
    description: z.string().trim().min(1).max(200),
    default: z.boolean().optional(),
    sensitive: z.boolean().optional(),
  })
  .meta({
    id: "ResourceScope",
    description:
      "What a token can open, and how people read it who are asked. `default`: an app gets it that names none. " +
      "`sensitive`: people must have signed in within ten minutes to allow it.",
    examples: [{ name: "notes.read", description: "Read your notes", default: true }],
  });

const settings = {
  name: tenantName.meta({ description: "Shown to people. One line without a host or URL.", examples: ["Notes"] }),
  identifier: z
    .string()
    .min(1)
    .superRefine((text, context) => {
      const message = refusalOfIdentifier(text);
      if (message !== null) context.addIssue({ code: "custom", message });
    })
    .meta({
      description: "The audience of its tokens: an https URL, or a URN. Apps name it as `resource` (RFC 8707).",
      examples: ["https://notes.example.com/mcp"],
    }),
  scopes: z
    .array(scope)
    .min(1)
    .max(100)
    .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, "Must have each name once"),
  clients: z
    .array(z.string().min(1).max(256))
    .max(100)
    .nullable()
    .meta({ description: "The only clients that get its tokens; null: all that are registered for it." }),
  unlisted: z.boolean().meta({ description: "Whether apps get its tokens that nobody has registered." }),
  forTenants: z.boolean().meta({ description: "Whether clients of tenants get its tokens." }),
  algorithm: z
    .enum(["EdDSA", "ES256", "RS256"])
    .nullable()
    .meta({ description: "Of its tokens; null: that of `TOKEN_ALGORITHM`." }),
  tenantRequired: z.boolean().meta({ description: "Whether each token names a tenant, machines' tokens too." }),
};

export const newResource = z
  .strictObject({
    ...settings,
    clients: settings.clients.default(null),
    unlisted: settings.unlisted.default(false),
    forTenants: settings.forTenants.default(false),
    algorithm: settings.algorithm.default(null),
    tenantRequired: settings.tenantRequired.default(true),
    ...stepUpFields,
  })
  .meta({ id: "ResourceInput", description: "An API that takes our tokens, and the operator's password or code." });

export const resourceChange = z
  .strictObject({ ...settings, enabled: z.boolean() })
  .partial()
  .extend(stepUpFields)
  .meta({ id: "ResourceChange", description: "What changes of a resource; what is missing stays." });

export const resource = described("Resource", "An API that takes our tokens.", () => ({
  id: z.string().meta({ description: "`api` for our own.", examples: ["pr_4fG7h0123456789ABCDEFGHIJKLM"] }),
  owner: z.enum(["platform", "tenant"]),
  ...settings,
  enabled: z.boolean(),
  secretPrefix: z.string().optional(),
  createdAt: time.nullable(),
  updatedAt: time.nullable(),
}));

export const resourceSecret = described("ResourceSecret", "A resource with its new secret.", () => ({
  ...resource.unwrap().shape,
  secret: z.string().meta({ description: "Shown once: with it, the API asks `/oauth/introspect` about tokens." }),
}));

export type NewResource = z.output<typeof newResource>;
export type ResourceChange = z.output<typeof resourceChange>;
export type ResourceView = z.infer<typeof resource>;
