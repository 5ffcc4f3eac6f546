/** A platform key as the API shows it. */
import { iso } from "../../base/time";
import type { PlatformKey } from "./schemas";
import type { PlatformKeyRow } from "./store";

export const platformKeyView = ({ tenants, previousExpiresAt, ...key }: PlatformKeyRow): PlatformKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  ...(tenants === null ? {} : { tenants }),
  createdAt: iso(key.createdAt),
  lastUsedAt: iso(key.lastUsedAt),
  expiresAt: iso(key.expiresAt),
  ...(previousExpiresAt === null ? {} : { previousExpiresAt: iso(previousExpiresAt) }),
});
