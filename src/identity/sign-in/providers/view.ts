/** An identity as its owner sees it. */
import { iso } from "../../../base/time";
import type { IdentityRow } from "../../providers/store";
import type { Identity } from "./schemas";

export const identityView = (row: IdentityRow): Identity => ({
  id: row.id,
  provider: row.provider,
  issuer: row.issuer,
  email: row.email,
  createdAt: iso(row.createdAt),
  lastUsedAt: iso(row.lastUsedAt),
});
