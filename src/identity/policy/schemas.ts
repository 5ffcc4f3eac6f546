/** What a tenant requires of its members, in requests and answers. */
import * as z from "zod";
import { described, time } from "../../base/schemas/schemas";

const MAX_GRACE_DAYS = 90;

const requireSecondFactor = z.enum(["off", "admins", "all"]).meta({
  description: "`admins`: owners and admins need a second factor. `all`: every member does.",
  examples: ["admins"],
});

const graceDays = z
  .int()
  .min(0)
  .max(MAX_GRACE_DAYS)
  .meta({
    description: "Members have this many days from the last change of the policy to set up a second factor.",
    examples: [7],
  });

const unlistedApps = z.enum(["allow", "listed", "block"]).meta({
  description:
    "Which [apps that nobody has registered](/docs/mcp#apps-that-nobody-has-registered) members may use. `listed`: " +
    "those that the tenant has `allowed`. `block`: none.",
});

const requireSignOn = z.enum(["off", "domains", "all"]).meta({
  description:
    "Who gets in by [single sign-on](/docs/sign-on) alone. `domains`: members whose address is of a proved domain. " +
    "`all`: every member.",
  examples: ["domains"],
});

const signOnGraceDays = z
  .int()
  .min(0)
  .max(MAX_GRACE_DAYS)
  .meta({
    description: "Members have this many days from the last change until they must sign on.",
    examples: [7],
  });

const signOnChange = z
  .strictObject({ require: requireSignOn, graceDays: signOnGraceDays.optional() })
  .meta({ id: "SignOnRequirementChange", description: "Who must sign on. What stays out stays as it is." });

const signOnRequirement = z
  .object({
    require: requireSignOn,
    graceDays: signOnGraceDays,
    from: time.meta({ description: "From then on, the others get 403 `SIGN_ON_REQUIRED`." }),
    membersWithout: z.int().meta({
      description: "How many members have to and have never signed on; at most 1,000 are counted.",
      examples: [3],
    }),
    endsThisSession: z.boolean().optional().meta({
      description: "Whether the session that asks gets in no more from then on. Missing for a platform key.",
    }),
  })
  .meta({ id: "SignOnRequirement", description: "Who must sign on." });

export const policyChange = described("TenantSecurityChange", "What stays out stays as it is.", () => ({
  requireSecondFactor: requireSecondFactor.optional(),
  graceDays: graceDays.optional(),
  unlistedApps: unlistedApps.optional(),
  signOn: signOnChange.optional(),
}));

export const policy = described("TenantSecurity", "What the tenant requires of its members.", () => ({
  requireSecondFactor,
  graceDays,
  enforcedFrom: time.nullable().meta({
    description: "From then on, members without a second factor get in only to set one up; null while it is off.",
    examples: ["2026-11-28T16:04:18.000Z"],
  }),
  unlistedApps: unlistedApps.optional().meta({ description: "Missing while no app can be used that is unregistered." }),
  signOn: signOnRequirement.optional().meta({ description: "Missing while nobody must sign on." }),
  membersWithout: z.int().meta({
    description: "How many of the members whom the policy is about have no second factor yet.",
    examples: [3],
  }),
}));

export type RequiredOf = z.infer<typeof requireSecondFactor>;
export type SignOnRequired = z.infer<typeof requireSignOn>;
export type PolicyChange = z.infer<typeof policyChange>;
export type Policy = z.infer<typeof policy>;
