/** An unlisted client, as a client. What it may do besides what it says of itself is the same for all of them. */
import { sha256Hex } from "../../../base/crypto/encoding";
import {
  type ClientAuth,
  type ClientKind,
  LATER_SETTINGS,
  SIGN_IN_SCOPES,
} from "../../../base/schemas/client-settings";
import { PLATFORM_TENANT } from "../../../base/schemas/tenant-ref";
import type { ClientRow } from "../store";

/** What it says of itself. */
interface Said {
  id: string;
  kind: Exclude<ClientKind, "registered" | "listed">;
  name: string;
  /** That people know it by. */
  host: string | null;
  auth: Exclude<ClientAuth, "secret">;
  redirectUrls: readonly string[];
  jwks: ClientRow["settings"]["jwks"];
  jwksUrl: string | null;
}

export async function unlistedClient(
  { id, kind, name, host, auth, redirectUrls, jwks, jwksUrl }: Said,
  nowMs: number,
): Promise<ClientRow> {
  return {
    id,
    externalId: null,
    name,
    // It may run on a device, whose ports differ.
    type: "native",
    auth,
    enabled: true,
    secretPrefix: null,
    previousExpiresAt: null,
    settings: {
      ...LATER_SETTINGS,
      homepageUrl: null,
      privacyUrl: null,
      termsUrl: null,
      redirectUrls,
      jwks,
      jwksUrl,
      scopes: SIGN_IN_SCOPES,
      consent: "ask",
      tenants: null,
      unverifiedEmail: false,
      pkce: "required",
      idTokenAlgorithm: "RS256",
      idTokenClaims: true,
      accessTokenSeconds: 900,
      idTokenSeconds: 600,
    },
    createdAt: nowMs,
    updatedAt: nowMs,
    lastUsedAt: null,
    logoutWebhookId: null,
    tenantId: PLATFORM_TENANT,
    kind,
    host,
    documentHash: await sha256Hex(JSON.stringify([auth, redirectUrls.toSorted(), jwks, jwksUrl])),
  };
}
