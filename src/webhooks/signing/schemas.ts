/** The public keys of a subscription, as the API returns them. */
import * as z from "zod";

const EXAMPLE_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

const webhookKey = z.object({
  kty: z.literal("OKP"),
  crv: z.literal("Ed25519"),
  x: z.string().meta({ description: "The public key in base64url.", examples: [EXAMPLE_X] }),
  kid: z.string().meta({
    description: "The key's thumbprint (RFC 7638).",
    examples: ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"],
  }),
  use: z.literal("sig"),
  alg: z.literal("EdDSA"),
  exp: z
    .int()
    .optional()
    .meta({ description: "When a former key stops signing, in Unix seconds.", examples: [1_795_900_000] }),
});

/** A JSON Web Key Set (RFC 7517), and the same keys as Standard Webhooks writes them. */
export const webhookKeySet = z
  .object({
    keys: z.array(webhookKey),
    whpk: z.array(z.string()).meta({
      description: "The same keys in the same order, as Standard Webhooks writes them.",
      examples: [["whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="]],
    }),
  })
  .meta({ id: "WebhookKeySet" });

export type WebhookKeySet = z.infer<typeof webhookKeySet>;
