/** Providers by the names that people know them by. */
import type { Config } from "../config";
import type { ProviderName } from "../wire/schemas";

const LABELS = { google: "Google", github: "GitHub", microsoft: "Microsoft" } as const;

/** The generic provider is called by the host of its issuer. */
export function providerLabel({ providers }: Config, name: ProviderName): string {
  if (name !== "oidc") return LABELS[name];
  return URL.parse(providers.oidc?.issuer ?? "")?.host ?? "single sign-on";
}
