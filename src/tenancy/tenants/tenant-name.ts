/** How the product names a tenant: by its id, or as `ext:` and the id that the product has given it. */
import { lowerUuid } from "../../base/uuid";

const EXTERNAL = "ext:";

/** One of the two is null. */
export interface TenantName {
  id: string | null;
  externalId: string | null;
}

export const parseTenantName = (text: string): TenantName =>
  text.startsWith(EXTERNAL)
    ? { id: null, externalId: text.slice(EXTERNAL.length) }
    : { id: lowerUuid(text), externalId: null };
