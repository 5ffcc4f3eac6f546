/** Portal links and tokens as the API shows them. */
import { iso } from "../../base/time";
import type { ListedPortalLink } from "./schemas";
import type { PortalLinkRow } from "./store";

/** What a link and a token have in common. */
export const madeView = ({ id, permissions, expiresAt, createdAt }: PortalLinkRow) => ({
  id,
  permissions,
  expiresAt: iso(expiresAt),
  createdAt: iso(createdAt),
});

export const listedView = (row: PortalLinkRow): ListedPortalLink => ({
  ...madeView(row),
  kind: row.kind,
  openedAt: iso(row.openedAt),
  ...(row.theme ? { theme: row.theme } : {}),
  ...(row.returnUrl === null ? {} : { returnUrl: row.returnUrl }),
});
