/** The request and the answer of a rotation of signing keys. */
import * as z from "zod";
import { described, time } from "../../../base/schemas/schemas";
import { signingSecret, subscription } from "../schemas";

const DAY_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 7 * DAY_SECONDS;

export const rotation = z
  .object({
    secret: signingSecret.optional().meta({
      description:
        "The new secret. If it is left out, the service makes a random `whsec_` one. Not allowed with `v1a`.",
      examples: ["a new signing secret"],
    }),
    overlapSeconds: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_SECONDS)
      .default(DAY_SECONDS)
      .meta({
        description:
          "How long the former key also signs, in seconds. For `v1a`, this counts from the time at which the new " +
          "key starts to sign.",
        examples: [DAY_SECONDS],
      }),
    kind: z
      .enum(["v1", "v1a"])
      .default("v1")
      .meta({
        description:
          "What to replace: the secret (`v1`), or the Ed25519 key (`v1a`), which begins to sign after 20 minutes.",
        examples: ["v1"],
      }),
  })
  .refine(({ secret, kind }) => secret === undefined || kind === "v1", {
    path: ["secret"],
    message: "Must not be given for v1a: the service makes its key pairs",
  })
  .meta({ id: "SecretRotation", description: "How to rotate; every field may be left out." });

export type Rotation = z.output<typeof rotation>;

export const rotated = described("RotatedSubscription", "The subscription after a rotation.", () => ({
  data: subscription.meta({ description: "With the new secret." }),
  secretRotation: z.object({
    previousExpireAt: z.array(time).meta({ description: "When the former keys of this kind end, newest first." }),
  }),
}));
