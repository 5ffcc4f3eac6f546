/** What a change makes of the provider of a connection by SAML 2.0: from its metadata, or field by field. */
import { fromBase64, sha256OfBytes } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import type { SamlSettings, SigningCertificate } from "../../base/schemas/connection-settings";
import { ProviderUnreachable } from "../../identity/providers/fetch";
import { isNamedHost } from "../oidc/discovery";
import { EndpointRefused, guardedFetch, refusalOfEndpoint } from "../oidc/fetch";
import { CertificateRefused, readCertificate } from "../saml/certificate";
import { MetadataRefused, readIdpMetadata } from "../saml/metadata";
import type { SamlChange } from "./saml-schemas";

export const NO_SAML: SamlSettings = { entityId: null, ssoUrl: null, certificates: [] };

const MAX_METADATA_BYTES = 128 * 1024;

/** What is sent of the provider, as texts. */
interface Given {
  entityId: string | null;
  ssoUrl: string | null;
  certificates: readonly string[];
}

/** Throws VALIDATION_FAILED at the path of what cannot be used; nothing is stored then. */
export async function changedSaml(
  deps: Deps,
  before: SamlSettings,
  change: SamlChange | null | undefined,
): Promise<SamlSettings> {
  if (change === undefined) return before;
  if (change === null) return NO_SAML;
  const { metadata, metadataUrl, ...fields } = change;
  const sources = [metadata, metadataUrl, Object.values(fields).find((field) => field != null)];
  if (sources.filter((one) => one != null).length > 1) {
    throw invalidField("saml", "Must be metadata, metadataUrl, or entityId, ssoUrl and certificates");
  }
  if (metadataUrl != null) {
    return settingsOf(deps, readAt("saml.metadataUrl", await fetchMetadata(deps, metadataUrl)), "saml.metadataUrl");
  }
  if (metadata != null) return settingsOf(deps, readAt("saml.metadata", metadata), "saml.metadata");
  return settingsOf(deps, merged(before, fields), null);
}

/** Null sets a field to its default, which is none. */
function merged(before: SamlSettings, { entityId, ssoUrl, certificates }: SamlChange): Given {
  const present = before.certificates.map(({ der }) => der);
  return {
    entityId: entityId === undefined ? before.entityId : entityId,
    ssoUrl: ssoUrl === undefined ? before.ssoUrl : ssoUrl,
    certificates: certificates === undefined ? present : (certificates ?? []),
  };
}

function readAt(path: string, xml: string): Given {
  try {
    return readIdpMetadata(xml);
  } catch (error) {
    if (error instanceof MetadataRefused) throw invalidField(path, error.message);
    throw error;
  }
}

/** Read once: what the provider says there later is not followed. */
async function fetchMetadata(deps: Deps, url: string): Promise<string> {
  const path = "saml.metadataUrl";
  refuseAddress(deps, url, path);
  const headers = { Accept: "application/samlmetadata+xml, application/xml, text/xml" };
  try {
    const answer = await guardedFetch(deps, MAX_METADATA_BYTES)(url, { method: "GET", headers });
    if (answer.status !== 200) throw invalidField(path, `Answers ${answer.status}, not with its metadata`);
    return await answer.text();
  } catch (error) {
    if (error instanceof ProviderUnreachable || error instanceof EndpointRefused) {
      throw invalidField(path, `Cannot be read: ${error.message}`);
    }
    throw error;
  }
}

function refuseAddress(deps: Deps, url: string, path: string): void {
  const refusal = refusalOfEndpoint(deps, url);
  if (refusal !== null) throw invalidField(path, refusal);
  const { hostname, hash } = new URL(url);
  if (hash !== "") throw invalidField(path, "Must not have a fragment");
  if (!isNamedHost(deps, hostname)) throw invalidField(path, "Must name a host, not an address");
}

/** `path` is that of the source; null: each field has its own. */
async function settingsOf(
  deps: Deps,
  { entityId, ssoUrl, certificates }: Given,
  path: string | null,
): Promise<SamlSettings> {
  if (ssoUrl !== null) refuseAddress(deps, ssoUrl, path ?? "saml.ssoUrl");
  const read = await Promise.all(certificates.map((one, index) => certificateOf(one, path ?? certificatePath(index))));
  const distinct = new Map(read.map((one) => [one.fingerprint, one]));
  return { entityId, ssoUrl, certificates: [...distinct.values()] };
}

const certificatePath = (index: number): string => `saml.certificates.${index}`;

async function certificateOf(text: string, path: string): Promise<SigningCertificate> {
  try {
    const { der, notAfterMs } = await readCertificate(text);
    return { der, notAfterMs, fingerprint: await sha256OfBytes(fromBase64(der)) };
  } catch (error) {
    if (error instanceof CertificateRefused) throw invalidField(path, error.message);
    throw error;
  }
}

/** Whether the provider is another one. A certificate alone is a change of keys, for which there can be two. */
export const isOtherProvider = (before: SamlSettings = NO_SAML, after: SamlSettings = NO_SAML): boolean =>
  before.entityId !== null && (after.entityId !== before.entityId || after.ssoUrl !== before.ssoUrl);
