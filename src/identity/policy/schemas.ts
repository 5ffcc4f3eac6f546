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

export const policyChange = described("TenantSecurityChange", "What stays out stays as it is.", () => ({
  requireSecondFactor: requireSecondFactor.optional(),
  graceDays: graceDays.optional(),
  unlistedApps: unlistedApps.optional(),
}));

export const policy = described("TenantSecurity", "What the tenant requires of its members.", () => ({
  requireSecondFactor,
  graceDays,
  enforcedFrom: time.nullable().meta({
    description: "From then on, members without a second factor get in only to set one up; null while it is off.",
    examples: ["2026-11-28T16:04:18.000Z"],
  }),
  unlistedApps: unlistedApps.optional().meta({ description: "Missing while no app can be used that is unregistered." }),
  membersWithout: z.int().meta({
    description: "How many of the members whom the policy is about have no second factor yet.",
    examples: [3],
  }),
}));

export type RequiredOf = z.infer<typeof requireSecondFactor>;
export type PolicyChange = z.infer<typeof policyChange>;
export type Policy = z.infer<typeof policy>;
