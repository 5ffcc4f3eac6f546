/** An identity as its owner sees it. */
import { iso } from "../../platform/time";
import type { Identity } from "./schemas";
import type { IdentityRow } from "./store";

export const identityView = (row: IdentityRow): Identity => ({
  id: row.id,
  provider: row.provider,
  issuer: row.issuer,
  email: row.email,
  createdAt: iso(row.createdAt),
  lastUsedAt: iso(row.lastUsedAt),
});
