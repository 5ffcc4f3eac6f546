/** The two parties of a connection by SAML 2.0: we, by our addresses, and the provider. */
import type { Deps } from "../../base/deps";
import { API_PATH, SAML_PATH } from "../../base/paths";
import type { ConnectionRow } from "../connections/store";

type Place = Pick<Deps, "config">;

/** What is entered at the provider. Each connection is a party of its own. */
export interface SamlService {
  entityId: string;
  /** Where the provider sends its responses. */
  acsUrl: string;
  metadataUrl: string;
}

export function samlServiceOf({ config }: Place, id: string): SamlService {
  const base = config.publicUrl ?? config.tokenIssuer;
  const entityId = `${base}${SAML_PATH}/${id}`;
  return { entityId, acsUrl: `${base}${API_PATH}/auth/sign-on/${id}/acs`, metadataUrl: `${entityId}/metadata` };
}

export interface SamlParty extends SamlService {
  idpEntityId: string;
  ssoUrl: string;
  /** The DER of each, in base64. */
  certificates: string[];
}

/** Null for a connection of another kind, or one that is not complete. */
export function samlParty(place: Place, { id, settings }: Pick<ConnectionRow, "id" | "settings">): SamlParty | null {
  const { entityId = null, ssoUrl = null, certificates = [] } = settings.saml ?? {};
  if (entityId === null || ssoUrl === null || certificates.length === 0) return null;
  const service = samlServiceOf(place, id);
  return { ...service, idpEntityId: entityId, ssoUrl, certificates: certificates.map(({ der }) => der) };
}
