/** A passkey as its owner sees it. */
import { iso } from "../../../base/time";
import type { PasskeyRow } from "../store";
import type { Passkey } from "./schemas";

export const passkeyView = (row: PasskeyRow): Passkey => ({
  id: row.id,
  name: row.name,
  backedUp: row.backedUp,
  transports: row.transports,
  aaguid: row.aaguid,
  createdAt: iso(row.createdAt),
  lastUsedAt: iso(row.lastUsedAt),
});
