/** What distinguishes a device from others: its browser and system, and its place. */
import { digest } from "../crypto/encryption";
import type { KeyRing } from "../crypto/keys";
import type { Device } from "./device";

/** The keys that a device may be known by. A sign-in stores the first one. */
export type DeviceKeys = readonly [string, ...string[]];

/**
 * The keys of a user's device: digests of its kind and place, the newest entry of `SECRET_KEYS` first. The last key is the one that
 * migration 0013 made of a kind alone; no such key is left 90 days after it.
 */
export async function deviceKeys(keys: KeyRing, userId: string, { kind, place }: Device): Promise<DeviceKeys> {
  const [newest, ...older] = keys;
  const keyUnder = (key: KeyRing[number]) => digest([key], `device:${userId}`, JSON.stringify([kind, place]));
  return [await keyUnder(newest), ...(await Promise.all(older.map(keyUnder))), `kind:${kind}`];
}
