/** A connection as the API returns it. */
import type { Deps } from "../../base/deps";
import { API_PATH, SCIM_PATH } from "../../base/paths";
import type { SamlSettings } from "../../base/schemas/connection-settings";
import { iso } from "../../base/time";
import { samlServiceOf } from "./party";
import { problemsOf } from "./problems";
import { NO_SAML } from "./saml-change";
import type { ConnectionView, ExportedConnection } from "./schemas";
import { type ConnectionRow, listConnections } from "./store";

type Place = Pick<Deps, "config">;

const below = ({ config }: Place, path: string): string => `${config.publicUrl ?? config.tokenIssuer}${path}`;

/** Where the provider sends the browser back. Each connection has one of its own (RFC 9700 section 4.4.2.2). */
export const redirectUriOf = (place: Place, id: string): string =>
  below(place, `${API_PATH}/auth/sign-on/${id}/callback`);

export function connectionView(deps: Pick<Deps, "config" | "now">, row: ConnectionRow): ConnectionView {
  const { id, settings, version, testedVersion } = row;
  const { roles, session } = settings;
  return {
    id,
    name: row.name,
    kind: row.kind,
    provider: row.provider,
    state: row.state,
    needsReview: row.needsReview === 1,
    version,
    ...ofSignOn(deps, row),
    attributes: settings.attributes,
    provisioning: settings.provisioning,
    roles: { ...roles, rules: [...roles.rules] },
    session: { ...session, acrValues: [...session.acrValues] },
    discovery: settings.discovery,
    outsideDomains: settings.outsideDomains,
    scimUrl: below(deps, `${SCIM_PATH}/${id}`),
    ...(row.directoryRequestedAt === null ? {} : { directory: directoryOf(row) }),
    problems: problemsOf(row, deps.now()),
    testedAt: iso(testedVersion === version ? row.testedAt : null),
    lastSignOnAt: iso(row.lastSignOnAt),
    lastFailureAt: iso(row.lastFailureAt),
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}

/** What is about signing on, by the kind of the connection. */
function ofSignOn(place: Place, row: ConnectionRow) {
  const { id, kind, settings } = row;
  if (kind === "directory") return {};
  const initiateUri = below(place, `${API_PATH}/auth/sign-on/${id}/initiate`);
  if (kind === "oidc") return { ...ofOidc(place, row), initiateUri };
  return { saml: shownSaml(settings.saml ?? NO_SAML), serviceProvider: samlServiceOf(place, id), initiateUri };
}

const ofOidc = (place: Place, { id, settings: { oidc }, secretSealed, secretLast4 }: ConnectionRow) => ({
  oidc: { ...oidc, clientSecret: secretSealed === null ? null : { last4: secretLast4 } },
  redirectUri: redirectUriOf(place, id),
  logoutUri: below(place, `${API_PATH}/auth/sign-on/${id}/logout`),
  ...(oidc.clientAuth === "private_key_jwt"
    ? { jwksUri: below(place, `/.well-known/connections/${id}/jwks.json`) }
    : {}),
});

const shownSaml = ({ entityId, ssoUrl, certificates }: SamlSettings): NonNullable<ConnectionView["saml"]> => ({
  entityId,
  ssoUrl,
  certificates: certificates.map(({ der, notAfterMs, fingerprint }) => ({
    certificate: der,
    notAfter: iso(notAfterMs),
    fingerprint,
  })),
});

/** The tenant's connections as their export has them. */
export async function exportedConnections(deps: Deps, tenantId: string): Promise<ExportedConnection[]> {
  const found = await listConnections(deps, tenantId);
  return found.map(({ name, kind, provider, settings: { roles, session, oidc, saml, ...settings } }) => ({
    ...{ name, kind, provider, ...settings },
    ...(kind === "oidc" ? { oidc } : {}),
    ...(saml ? { saml: { ...saml, certificates: saml.certificates.map(({ der }) => der) } } : {}),
    roles: { ...roles, rules: [...roles.rules] },
    session: { ...session, acrValues: [...session.acrValues] },
  }));
}

const directoryOf = (row: ConnectionRow): NonNullable<ConnectionView["directory"]> => ({
  active: row.directoryActive,
  inactive: row.directoryInactive,
  held: row.directoryHeld,
  groups: row.directoryGroups,
  lastRequestAt: iso(row.directoryRequestedAt),
});
