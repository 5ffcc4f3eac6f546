/**
 * `delivery.signatureProfile`: signatures in the form of another provider, beside the standard ones, so that receivers
 * which verify that form keep working. The shapes of a profile and what it may be; `../signing/profiles.ts` signs.
 */
import * as z from "zod";
import { isBase64Key } from "../../base/crypto/webhook-signature";
import type { ErrorDetail } from "../../base/errors";
import { type Headers, headerName } from "./header-options";

const MAX_CONTENT_CHARACTERS = 256;

const content = z
  .string()
  .max(MAX_CONTENT_CHARACTERS)
  .regex(/^[\x20-\x7e]+$/, "Must be 1 to 256 printable ASCII characters")
  .refine((text) => text.split("{body}").length === 2, "Must have {body} exactly once")
  .refine(
    (text) => !/[{}]/.test(text.replaceAll(/\{(?:body|id|timestamp)\}/g, "")),
    "May have no other braces than {body}, {id} and {timestamp}",
  )
  .meta({
    description: "What is signed, with `{body}` once, and `{id}` and `{timestamp}` as needed.",
    examples: ["{timestamp}.{body}"],
  });

const custom = z.strictObject({
  kind: z.literal("custom"),
  header: headerName.meta({ description: "The header of the signature.", examples: ["X-Acme-Signature"] }),
  encoding: z.enum(["hex", "base64"]),
  algorithm: z.enum(["sha256", "sha512"]),
  content,
  prefix: z
    .string()
    .regex(/^[\x21-\x7e]{1,32}$/, "Must be 1 to 32 visible ASCII characters")
    .optional()
    .meta({ description: "Stands before the signature.", examples: ["sha256="] }),
  key: z.enum(["utf8", "base64"]).optional().meta({
    description: "How the secret is the key: as text (`utf8`, the default), or decoded from base64, without `whsec_`.",
  }),
  idHeader: headerName.optional().meta({ description: "Carries the value of `webhook-id`.", examples: ["X-Acme-Id"] }),
  timestampHeader: headerName
    .optional()
    .meta({ description: "Carries the value of `webhook-timestamp`.", examples: ["X-Acme-Timestamp"] }),
});

/** A profile as requests set it and answers show it. */
export const signatureProfile = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("svix") }).meta({ id: "SvixProfile", description: "As Svix signs." }),
  z
    .strictObject({ kind: z.literal("stripe"), header: headerName.optional() })
    .meta({ id: "StripeProfile", description: "As Stripe signs, in `header` or `Stripe-Signature`." }),
  z
    .strictObject({ kind: z.literal("github"), header: headerName.optional() })
    .meta({ id: "GithubProfile", description: "As GitHub signs, in `header` or `X-Hub-Signature-256`." }),
  custom.meta({ id: "CustomProfile", description: "A signature of your own form." }),
]);

export type SignatureProfile = z.infer<typeof signatureProfile>;

/** Every member that a profile can have. */
export const PROFILE_MEMBERS = ["kind", ...Object.keys(custom.shape).filter((name) => name !== "kind")] as const;

/** The headers that a profile sets, each with the member that names it; `kind` where the kind decides. */
function headersOfProfile(profile: SignatureProfile): (readonly [member: string, name: string])[] {
  switch (profile.kind) {
    case "svix":
      return ["svix-id", "svix-timestamp", "svix-signature"].map((name) => ["kind", name] as const);
    case "stripe":
      return [["header", profile.header ?? "Stripe-Signature"]];
    case "github":
      return [["header", profile.header ?? "X-Hub-Signature-256"]];
    case "custom":
      return (["header", "idHeader", "timestampHeader"] as const).flatMap((member) => {
        const name = profile[member];
        return name === undefined ? [] : [[member, name] as const];
      });
  }
}

/** Whether the secret of the subscription must be base64. */
export const needsBase64Secret = (profile: SignatureProfile | null | undefined): boolean =>
  profile?.kind === "custom" && profile.key === "base64";

interface Combination {
  profile: SignatureProfile | null | undefined;
  /** The subscription's own headers. */
  headers: Headers;
  /** Undefined if it was not read, because nothing depends on it. */
  secret: string | undefined;
}

/** Returns what a profile, own headers and a secret may not be together. `changed` names what the request has set. */
export function refuseCombination(
  { profile, headers, secret }: Combination,
  changed: { profile: boolean; headers: boolean },
): ErrorDetail[] {
  if (!profile) return [];
  const own = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  const names = headersOfProfile(profile);
  const path = "delivery.signatureProfile";
  const twice = names.filter(([, name], index) =>
    names.slice(0, index).some(([, other]) => other.toLowerCase() === name.toLowerCase()),
  );
  const shared = names.flatMap(([member, name]) => {
    const given = own.get(name.toLowerCase());
    if (given === undefined) return [];
    return [
      changed.profile || !changed.headers
        ? { path: `${path}.${member}`, message: `The subscription has an own header "${given}"` }
        : { path: `delivery.headers.${given}`, message: "The signature profile sets this header" },
    ];
  });
  const isWrongKey = needsBase64Secret(profile) && secret !== undefined && !isBase64Key(secret);
  const wrongKey = changed.profile
    ? { path: `${path}.key`, message: "The secret is not base64" }
    : { path: "secret", message: "The signature profile needs a secret in base64" };
  return [
    ...twice.map(([member]) => ({ path: `${path}.${member}`, message: "Another header of the profile has this name" })),
    ...shared,
    ...(isWrongKey ? [wrongKey] : []),
  ];
}
