/** A setup link as the API shows it. */
import { iso } from "../../base/time";
import type { SetupLinkView } from "./schemas";
import type { SetupLinkRow } from "./store";

export const setupLinkView = ({ email, theme, returnUrl, ...row }: SetupLinkRow): SetupLinkView => ({
  id: row.id,
  may: row.may,
  connectionId: row.connectionId,
  expiresAt: iso(row.expiresAt),
  createdAt: iso(row.createdAt),
  openedAt: iso(row.openedAt),
  ...(email === null ? {} : { email }),
  ...(theme === null ? {} : { theme }),
  ...(returnUrl === null ? {} : { returnUrl }),
});
