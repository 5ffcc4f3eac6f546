/**
 * The relying party of passkeys. It comes from the settings only, because whoever sends a request chooses its Host and
 * Origin.
 */
import type { Config } from "../../../base/config/config";

export interface RelyingParty {
  /** The host that passkeys are bound to, without a port. */
  id: string;
  name: string;
  /** The origins of the pages that may use them. */
  origins: readonly string[];
}

/**
 * Returns the host of `APP_URL` as the relying party. Its pages, and those of `PASSKEY_ORIGINS`, may use the passkeys.
 */
export function relyingParty({ appUrl, passkeyOrigins, brand }: Config): RelyingParty {
  const { hostname, origin } = new URL(appUrl);
  return { id: hostname, name: brand.name, origins: [origin, ...passkeyOrigins] };
}
