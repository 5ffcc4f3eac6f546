/** An API key in an export. */
import { iso } from "../../platform/time";
import type { ExportedKey } from "./account-store";
import type { KeyInExport } from "./schemas";

const orNull = (timeMs: number | null) => (timeMs === null ? null : iso(timeMs));

export const keyView = ({ createdAt, lastUsedAt, expiresAt, revokedAt, ...key }: ExportedKey): KeyInExport => ({
  ...key,
  createdAt: iso(createdAt),
  lastUsedAt: orNull(lastUsedAt),
  expiresAt: orNull(expiresAt),
  revokedAt: orNull(revokedAt),
});
