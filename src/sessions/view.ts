/** A session as its owner sees it. */
import type { Device } from "./device";
import type { Session } from "./schemas";

interface SessionRow extends Device {
  id: string;
  createdAt: number;
  expiresAt: number;
  lastActivityAt: number;
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
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: new Date(row.expiresAt).toISOString(),
    lastActivityAt: new Date(row.lastActivityAt).toISOString(),
    current: row.id === currentSessionId,
  };
}
