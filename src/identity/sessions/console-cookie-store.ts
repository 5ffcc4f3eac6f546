/** The generation of the console's cookie in D1. A cookie names its session, so no tenant is given. */
import { query } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import type { Device } from "../../base/schemas/device";

/** Moves the session to the next generation, for the one of several parallel requests that comes first. */
export async function replaceCookie(
  { db }: Deps,
  { sessionId, generation, device }: { sessionId: string; generation: number; device: Device },
  nowMs: number,
): Promise<boolean> {
  const replaced = await query(db)`UPDATE sessions SET cookie_generation = cookie_generation + 1,
      cookie_replaced_at = ${nowMs}, device_name = ${device.deviceName}, browser = ${device.browser},
      operating_system = ${device.operatingSystem}, platform = ${device.platform}, ip_address = ${device.ipAddress},
      location = ${device.location}
    WHERE id = ${sessionId} AND cookie_generation = ${generation} RETURNING id`;
  return replaced.length === 1;
}
