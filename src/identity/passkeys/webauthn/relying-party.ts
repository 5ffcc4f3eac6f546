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
 * Returns the host of `PASSKEY_RP_ID`, or of `APP_URL`, as the relying party. The pages of `APP_URL` and those of
 * `PASSKEY_ORIGINS` may use the passkeys; with `PASSKEY_RP_ID`, the issuer's pages may too.
 */
export function relyingParty({
  appUrl,
  passkeyOrigins,
  passkeyRpId,
  oauthServer,
  tokenIssuer,
  brand,
}: Config): RelyingParty {
  const { hostname, origin } = new URL(appUrl);
  const own = passkeyRpId !== "" && oauthServer === "on" ? [tokenIssuer] : [];
  return { id: passkeyRpId || hostname, name: brand.name, origins: [origin, ...own, ...passkeyOrigins] };
}
