/** A subscription as `POST /webhooks/import` takes it. The service checks it. */
export type Endpoint = Record<string, unknown>;

export interface TenantEndpoints {
  /** As in the header `Postern-Tenant`; the key's own tenant unless given. */
  tenant?: string;
  endpoints: Endpoint[];
}
