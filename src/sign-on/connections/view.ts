/** A connection as the API returns it. */
import type { Deps } from "../../base/deps";
import { API_PATH, SCIM_PATH } from "../../base/paths";
import { iso } from "../../base/time";
import { problemsOf } from "./problems";
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
    ...(row.kind === "directory" ? {} : ofSignOn(deps, row)),
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

/** What is about signing on at a provider of OpenID Connect. */
const ofSignOn = (place: Place, { id, settings: { oidc }, secretSealed, secretLast4 }: ConnectionRow) => ({
  oidc: { ...oidc, clientSecret: secretSealed === null ? null : { last4: secretLast4 } },
  redirectUri: redirectUriOf(place, id),
  initiateUri: below(place, `${API_PATH}/auth/sign-on/${id}/initiate`),
  logoutUri: below(place, `${API_PATH}/auth/sign-on/${id}/logout`),
  ...(oidc.clientAuth === "private_key_jwt"
    ? { jwksUri: below(place, `/.well-known/connections/${id}/jwks.json`) }
    : {}),
});

/** The tenant's connections as their export has them. */
export async function exportedConnections(deps: Deps, tenantId: string): Promise<ExportedConnection[]> {
  const found = await listConnections(deps, tenantId);
  return found.map(({ name, kind, provider, settings: { roles, session, oidc, ...settings } }) => ({
    ...{ name, kind, provider, ...settings },
    ...(kind === "directory" ? {} : { oidc }),
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
