/** The names by which people know the providers. */
import type { Config } from "../../base/config/config";
import type { ProviderName } from "../../base/schemas/schemas";

const LABELS = { google: "Google", github: "GitHub", microsoft: "Microsoft" } as const;

/** Returns the name of a provider; for the generic one, what the setting calls it, else the host of its issuer. */
export function providerLabel({ providers }: Config, name: ProviderName): string {
  if (name !== "oidc") return LABELS[name];
  return providers.oidc?.label ?? URL.parse(providers.oidc?.issuer ?? "")?.host ?? "single sign-on";
}
