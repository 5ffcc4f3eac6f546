/** Our own API as a resource: its scopes are our permissions, and its audience is its URL, never that of sessions. */
import type { Deps } from "../../base/deps";
import { API_PATH } from "../../base/paths";
import type { ResourceSettings } from "../../base/schemas/resource-settings";
import { PERMISSION_TEXTS } from "../../base/schemas/roles";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { isSameIdentifier } from "./identifier";
import { API_RESOURCE } from "./keys";
import { parsedResource, type ResourceRow, type StoredResource } from "./store";

export const apiUrl = ({ config }: Pick<Deps, "config">): string => `${config.tokenIssuer}${API_PATH}`;

const SETTINGS: ResourceSettings = {
  scopes: Object.entries(PERMISSION_TEXTS).map(([name, description]) => ({ name, description })),
  clients: null,
  unlisted: false,
  forTenants: false,
  algorithm: null,
  tenantRequired: true,
};

/** With what operators have changed, if they have changed anything. */
export function ourApi(deps: Pick<Deps, "config">, stored: StoredResource | undefined): ResourceRow {
  const row = stored && parsedResource(stored);
  const { clients, unlisted, forTenants } = { ...SETTINGS, ...row?.settings };
  return {
    id: API_RESOURCE,
    tenantId: PLATFORM_TENANT,
    identifier: apiUrl(deps),
    name: deps.config.brand.name,
    enabled: row?.enabled ?? true,
    settings: { ...SETTINGS, clients, unlisted, forTenants },
    secretPrefix: null,
    createdAt: row?.createdAt ?? 0,
    updatedAt: row?.updatedAt ?? 0,
  };
}

/** The resources that were read, and our own API, which needs no row. */
export function withOurApi(deps: Pick<Deps, "config">, found: readonly StoredResource[]): ResourceRow[] {
  const others = found.filter(({ id }) => id !== API_RESOURCE).map(parsedResource);
  return [
    ...others,
    ourApi(
      deps,
      found.find(({ id }) => id === API_RESOURCE),
    ),
  ];
}

/** What is looked for in D1 where a request names `identifier`. */
export const storedIdentifier = (deps: Pick<Deps, "config">, identifier: string): string =>
  isSameIdentifier(apiUrl(deps), identifier) ? API_RESOURCE : identifier;
