/** The settings of sign-in with providers. A provider is on when its id and its secret are set. */
import * as z from "zod";
import type { ProviderName } from "../schemas/schemas";

/** A variable that may be missing or empty. */
const optionalText = z
  .string()
  .trim()
  .max(1000)
  .optional()
  .transform((text) => text || undefined);

/** Whether what is sent there cannot be read on the way: https, or a loopback address for local development. */
const isSafeUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && /^(localhost|127\.0\.0\.1)$/.test(url.hostname));
};

const isSafeOrigin = (text: string): boolean => isSafeUrl(text) && new URL(text).origin === text;

/** The settings that identify this service to a sign-in provider: an id, and a secret. */
const clientId = (provider: string) => ({
  description:
    `The id under which ${provider} knows this service. Empty: people can't [sign in with ` +
    `${provider}](sign-in-providers.md).`,
  must: "be at most 1000 characters",
  schema: optionalText,
});
const clientSecret = (provider: string) => ({
  description: `The secret that goes with the id at ${provider}. A secret, not a variable.`,
  must: "be at most 1000 characters",
  schema: optionalText,
});

export const PROVIDER_VARIABLES = {
  PUBLIC_URL: {
    description:
      "Where browsers reach this service, such as `https://api.example.com`. Needed to [sign in with " +
      "providers](sign-in-providers.md), which send people back to `/api/v1/auth/oauth/<provider>/callback` below " +
      "it.",
    must: "be an https origin (http on localhost), or empty",
    schema: optionalText.pipe(z.string().refine(isSafeOrigin).optional()),
  },
  GOOGLE_CLIENT_ID: clientId("Google"),
  GOOGLE_CLIENT_SECRET: clientSecret("Google"),
  GITHUB_CLIENT_ID: clientId("GitHub"),
  GITHUB_CLIENT_SECRET: clientSecret("GitHub"),
  MICROSOFT_CLIENT_ID: clientId("Microsoft"),
  MICROSOFT_CLIENT_SECRET: clientSecret("Microsoft"),
  OIDC_ISSUER: {
    description: "The issuer of any other OpenID Connect provider. Its discovery document is read.",
    must: "be an https URL (http on localhost), or empty",
    schema: optionalText.pipe(z.string().refine(isSafeUrl).optional()),
  },
  OIDC_LABEL: {
    description: "What people call that issuer, such as `Acme`: the button says “Continue with Acme”. Empty: its host.",
    must: "be at most 40 characters on one line, or empty",
    schema: optionalText.pipe(
      z
        .string()
        .max(40)
        .regex(/^[^\r\n]*$/)
        .optional(),
    ),
  },
  OIDC_TRUST_EMAIL: {
    description:
      "`claim`: an address at that issuer counts as verified if it says so. `always`: every address that it gives " +
      "does; choose it where only your organisation gives people their addresses there.",
    must: "be claim or always",
    schema: z.enum(["claim", "always"]).prefault("claim"),
  },
  OIDC_CLIENT_ID: clientId("that issuer"),
  OIDC_CLIENT_SECRET: clientSecret("that issuer"),
} as const;

/** The credentials of this service at a provider. */
export interface ProviderClient {
  clientId: string;
  clientSecret: string;
}

/** Undefined for a provider that is off. */
export type Providers = Record<Exclude<ProviderName, "oidc">, ProviderClient | undefined> & {
  oidc: (ProviderClient & { issuer: string; label: string | undefined; trustsEmail: boolean }) | undefined;
};

type Values = { [N in keyof typeof PROVIDER_VARIABLES]: z.output<(typeof PROVIDER_VARIABLES)[N]["schema"]> };

/** Combines the variables. An incomplete provider is off. It and a missing PUBLIC_URL are added to `problems`. */
export function readProviders(
  read: <N extends keyof Values>(name: N) => Values[N],
  problems: string[],
): { publicUrl: string | undefined; providers: Providers } {
  const client = (provider: "GOOGLE" | "GITHUB" | "MICROSOFT" | "OIDC"): ProviderClient | undefined => {
    const [id, secret] = [`${provider}_CLIENT_ID`, `${provider}_CLIENT_SECRET`] as const;
    const [clientId, clientSecret] = [read(id), read(secret)];
    if (clientId && clientSecret) return { clientId, clientSecret };
    if (clientId) problems.push(`${secret} must be set with ${id}`);
    if (clientSecret) problems.push(`${id} must be set with ${secret}`);
    return undefined;
  };
  const issuer = read("OIDC_ISSUER");
  const generic = client("OIDC");
  if (generic && !issuer) problems.push("OIDC_ISSUER must be set with OIDC_CLIENT_ID");
  if (issuer && !generic) problems.push("OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set with OIDC_ISSUER");
  const providers: Providers = {
    google: client("GOOGLE"),
    github: client("GITHUB"),
    microsoft: client("MICROSOFT"),
    oidc:
      generic && issuer
        ? { ...generic, issuer, label: read("OIDC_LABEL"), trustsEmail: read("OIDC_TRUST_EMAIL") === "always" }
        : undefined,
  };
  const publicUrl = read("PUBLIC_URL");
  if (publicUrl || !Object.values(providers).some(Boolean)) return { publicUrl, providers };
  problems.push("PUBLIC_URL must be set to let people sign in with a provider");
  return { publicUrl, providers: { google: undefined, github: undefined, microsoft: undefined, oidc: undefined } };
}
