/** Where the pages of apps and APIs are that somebody manages, and whose these are: the platform's, or a tenant's. */
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { clients, clientsOfTenant } from "../../oauth/clients/api";
import { resources, resourcesOfTenant } from "../../oauth/resources/api";

export interface AppsPlace {
  /** The page that lists them. */
  here: string;
  /** The pages above theirs, by their paths. */
  above: Readonly<Record<string, string>>;
  section: "operator" | "security";
  clients: typeof clients;
  resources: typeof resources;
  /** `tenantId` is the tenant of whoever is signed in. */
  ownerOf(tenantId: string): string;
}

export const PLATFORMS: AppsPlace = {
  here: "/operator/apps",
  above: { "/operator": "Operator", "/operator/apps": "Apps" },
  section: "operator",
  clients,
  resources,
  ownerOf: () => PLATFORM_TENANT,
};

export const TENANTS: AppsPlace = {
  here: "/apps",
  above: { "/apps": "Connected apps" },
  section: "security",
  clients: clientsOfTenant,
  resources: resourcesOfTenant,
  ownerOf: (tenantId) => tenantId,
};
