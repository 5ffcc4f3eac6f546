/** The setting for the roles of the product. */
import * as z from "zod";
import { jsonOf } from "../json";
import { isBuiltIn, PERMISSIONS, type RoleOfProduct } from "../schemas/roles";

const MAX_ROLES = 30;
const NAME = /^[a-z][a-z0-9_-]{0,31}$/;
/** Without spaces and quotation marks, as scopes of OAuth are (RFC 6749 section 3.3). */
const APP_PERMISSION = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
/** Tokens carry them in each request. */
const MAX_APP_CHARACTERS = 1_024;

const appPermissions = z
  .array(z.string().regex(APP_PERMISSION))
  .max(50)
  .refine((texts) => texts.join(" ").length <= MAX_APP_CHARACTERS)
  .default([]);

const ofProduct = z.strictObject({
  title: z.string().trim().min(1).max(100),
  permissions: z.array(z.enum(PERMISSIONS)).default([]),
  app: appPermissions,
});

/** A role of ours keeps its title and permissions. */
const ofOurs = z.strictObject({ app: appPermissions }).transform(({ app }) => ({ title: null, permissions: [], app }));

const roles = z
  .string()
  .transform((text, context): Record<string, RoleOfProduct> => {
    const given = z.record(z.string().regex(NAME), z.unknown()).safeParse(text === "" ? {} : jsonOf(text));
    const entries = Object.entries(given.data ?? {}).map(
      ([name, role]) => [name, (isBuiltIn(name) ? ofOurs : ofProduct).safeParse(role)] as const,
    );
    if (!given.success || entries.length > MAX_ROLES || entries.some(([, role]) => !role.success)) {
      context.addIssue({ code: "custom", message: "unknown form" });
      return z.NEVER;
    }
    return Object.fromEntries(entries.flatMap(([name, { data }]) => (data ? [[name, data]] : [])));
  })
  .prefault("");

export const ROLE_VARIABLES = {
  ROLES: {
    description:
      "The [roles of your product](roles.md#roles-of-your-product), in JSON: what each is called, which permissions " +
      "it has here, and which in your product. Empty: none. While it is wrong, those who have such a role count as " +
      "`member`.",
    must:
      'be empty, or JSON such as {"billing":{"title":"Pays bills","permissions":["webhook.read"],"app":' +
      '["invoice.pay"]}}, with names of lower-case letters, digits, - and _, and for our own roles only "app"',
    schema: roles,
  },
} as const;
