/** Traces in answers. */
import * as z from "zod";
import { described, id, time } from "../../base/schemas/schemas";

export const trace = described("SignOnTrace", "What came of a test, or why a sign-on was refused.", () => ({
  id,
  at: time,
  kind: z.enum(["test", "sign-on", "logout"]),
  outcome: z.enum(["started", "succeeded", "refused"]),
  step: z.string().meta({ description: "How far it came.", examples: ["id_token"] }),
  reason: z
    .string()
    .nullable()
    .meta({ examples: ["audience"] }),
  message: z
    .string()
    .nullable()
    .meta({ description: "What to change at the identity provider, for people; null after a good test." }),
  claims: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({
      description:
        "What the provider said of the person: of tests everything, of refusals the subject and the address, and of " +
        "other claims that they were there. Null if it came to none.",
    }),
  would: z
    .object({
      account: z.enum(["found", "made", "linked"]).nullable(),
      role: z.string().nullable(),
      rule: z.int().nullable().meta({
        description: "The rule that gives the role, counted from 0; null: none, but the default, or what it is.",
      }),
      domain: z.string().nullable().meta({ description: "The domain of the address." }),
    })
    .nullable()
    .meta({ description: "What a sign-on of this person would do; `account` is null if it is refused." }),
}));

export type TraceView = z.infer<typeof trace>;
export type Would = NonNullable<TraceView["would"]>;
