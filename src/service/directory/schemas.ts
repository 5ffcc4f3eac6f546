/** What the product sends and receives about its tenants, users and members. */
import * as z from "zod";
import {
  described,
  email,
  id,
  locale,
  moment,
  name,
  newPassword,
  nextCursor,
  pageLimit,
  personEmail,
  personName,
  role,
  time,
} from "../../base/schemas/schemas";
import { afterCursor } from "../../base/schemas/time-page-schemas";
import { metadata, metadataChange, publicMetadata } from "../../tenancy/directory/metadata-schemas";
import { externalId, tenantRecord, userRecord } from "../../tenancy/directory/schemas";

const MAX_PAGE_ROWS = 200;

const pageFields = {
  limit: pageLimit("Rows", MAX_PAGE_ROWS),
  cursor: afterCursor,
};

export const memberQuery = z.object(pageFields);
export const tenantQuery = z.object({
  ...pageFields,
  updatedSince: moment.optional().meta({ description: "Only what has changed at this time or later." }),
  externalId: externalId.optional(),
});
export const userQuery = tenantQuery.extend({ email: email.optional() });

export const newTenant = described("PlatformTenantInput", "A tenant to create.", () => ({
  name,
  externalId: externalId.optional(),
  ...metadataChange,
}));
export const tenantChange = described("PlatformTenantChange", "What to change. `externalId: null` removes it.", () => ({
  name: name.optional(),
  externalId: externalId.nullable().optional(),
  ...metadataChange,
}));

export const reason = described("PlatformReason", "Why. Those concerned can read it in their audit log.", () => ({
  reason: name.meta({ examples: ["Unpaid since May"] }),
}));

export const newUser = described("PlatformUserInput", "An account to create. It is a member of no tenant.", () => ({
  email,
  name: name.optional(),
  password: newPassword.optional().meta({ description: "Missing: the user sets one by a mailed link." }),
  externalId: externalId.optional(),
  locale: locale.nullable().optional(),
  emailVerified: z.boolean().optional().meta({
    description: "Whether you vouch for the address. False if missing. The service mails nothing.",
  }),
  ...metadataChange,
}));
export const userChange = described(
  "PlatformUserChange",
  "What to change. Null removes a name or an `externalId`.",
  () => ({
    name: name.nullable().optional(),
    email: email.optional(),
    externalId: externalId.nullable().optional(),
    locale: locale.nullable().optional(),
    emailVerified: z.boolean().optional().meta({
      description: "Whether you vouch for the address. A new address is unverified if this is missing.",
    }),
    ...metadataChange,
    password: z
      .never("A platform key cannot set a password. Mail a reset instead.")
      .optional()
      .meta({ description: "Refused: mail a reset instead." }),
  }),
);
export const userMail = described("PlatformUserMail", "Which mail to send.", () => ({
  kind: z.enum(["verification", "password-reset"]).meta({ examples: ["password-reset"] }),
}));
export const newMember = described("PlatformMemberInput", "A member to add.", () => ({
  user: z
    .string()
    .min(1)
    .max(300)
    .meta({ description: "A user, by id, as `ext:<externalId>` or as `email:<address>`.", examples: ["ext:user-7"] }),
  role,
  ...metadataChange,
}));
export const memberChange = described("PlatformMemberChange", "What to change.", () => ({
  role: role.optional(),
  ...metadataChange,
}));

export const memberRecord = described("PlatformMember", "A user in a tenant.", () => ({
  userId: id,
  externalId: z
    .string()
    .nullable()
    .meta({ examples: ["user-7"] }),
  email: personEmail,
  name: personName,
  role,
  joinedAt: time,
  metadata,
  publicMetadata,
}));

export const userWithTenants = described(
  "PlatformUserWithTenants",
  "A user, and the tenants that they are a member of.",
  () => ({
    ...userRecord.unwrap().shape,
    tenants: z
      .array(
        z.object({
          id,
          externalId: z
            .string()
            .nullable()
            .meta({ examples: ["customer-42"] }),
          name: z.string().meta({ examples: ["Analytical Engines"] }),
          role,
        }),
      )
      .meta({ description: "The fifty most recently used." }),
  }),
);

export const tenantPage = z.object({ data: z.array(tenantRecord), nextCursor });
export const userPage = z.object({ data: z.array(userRecord), nextCursor });
export const memberPage = z.object({ data: z.array(memberRecord), nextCursor });

export type NewPlatformTenant = z.infer<typeof newTenant>;
export type TenantChange = z.infer<typeof tenantChange>;
export type NewPlatformUser = z.infer<typeof newUser>;
export type UserChange = z.infer<typeof userChange>;
export type TenantQuery = z.infer<typeof tenantQuery>;
export type UserQuery = z.infer<typeof userQuery>;
export type NewPlatformMember = z.infer<typeof newMember>;
export type PlatformMemberChange = z.infer<typeof memberChange>;
export type MemberQuery = z.infer<typeof memberQuery>;
export type MemberRecord = z.infer<typeof memberRecord>;
