/** A session as its owner sees it. */

import type { Device } from "../../base/schemas/device";
import { iso } from "../../base/time";
import type { Session } from "./schemas";

export interface SessionRow extends Omit<Device, "kind" | "place"> {
  id: string;
  createdAt: number;
  expiresAt: number;
  lastActivityAt: number;
  /** JSON list of names; null: none. */
  apps: string | null;
}

export function sessionView(row: SessionRow, currentSessionId: string | null): Session {
  return {
    id: row.id,
    deviceName: row.deviceName,
    browser: row.browser,
    operatingSystem: row.operatingSystem,
    platform: row.platform,
    ipAddress: row.ipAddress,
    location: row.location,
    createdAt: iso(row.createdAt),
    expiresAt: iso(row.expiresAt),
    lastActivityAt: iso(row.lastActivityAt),
    current: row.id === currentSessionId,
    ...(row.apps === null ? {} : { apps: JSON.parse(row.apps) as string[] }),
  };
}
