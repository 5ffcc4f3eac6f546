/** The providers that the console offers. */

import type { Config } from "../../base/config/config";
import { CONSOLE_PATH } from "../../base/paths";
import { PROVIDER_NAMES, type ProviderName } from "../../base/schemas/schemas";
import { providerLabel } from "../../identity/providers/labels";

export interface OfferedProvider {
  name: ProviderName;
  label: string;
}

/** Empty if browsers come back to a client other than the console. */
export function offeredProviders(config: Config): OfferedProvider[] {
  if (config.appUrl !== `${config.publicUrl}${CONSOLE_PATH}`) return [];
  return PROVIDER_NAMES.filter((name) => config.providers[name]).map((name) => ({
    name,
    label: providerLabel(config, name),
  }));
}
