/** Previews of rules in requests and answers. */
import * as z from "zod";
import { role } from "../../base/schemas/schemas";
import { roleRules } from "../../sign-on/connections/schemas";

export const newRules = z
  .strictObject({ rules: roleRules.meta({ examples: [[{ group: "Admins", role: "admin" }]] }) })
  .meta({ id: "RolesPreviewInput", description: "The rules to try." });

export type NewRules = z.infer<typeof newRules>;

export const rolesPreview = z
  .object({
    changes: z.array(
      z.object({
        from: role.nullable().meta({ description: "Null: they do not get in now." }),
        to: role.nullable().meta({ description: "Null: they would not get in." }),
        count: z.int(),
      }),
    ),
    people: z.int().meta({ description: "How many people were looked at." }),
    complete: z.boolean().meta({
      description: "False: the directory has more, for only its first 10,000 records are looked at.",
    }),
  })
  .meta({ id: "RolesPreview", description: "How many people would get another role." });

export type RolesPreview = z.infer<typeof rolesPreview>;
