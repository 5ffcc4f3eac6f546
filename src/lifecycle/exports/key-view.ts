/** An API key in an export. */
import { iso } from "../../base/time";
import type { ExportedKey } from "./account-store";
import type { KeyInExport } from "./schemas";

export const keyView = ({ createdAt, lastUsedAt, expiresAt, revokedAt, ...key }: ExportedKey): KeyInExport => ({
  ...key,
  createdAt: iso(createdAt),
  lastUsedAt: iso(lastUsedAt),
  expiresAt: iso(expiresAt),
  revokedAt: iso(revokedAt),
});
