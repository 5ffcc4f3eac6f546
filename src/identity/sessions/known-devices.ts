/** The keys that distinguish devices, made of the browser and system and the place. */
import { digest } from "../../base/crypto/encryption";
import type { KeyRing } from "../../base/crypto/keys";
import type { Device } from "../../base/schemas/device";

/** The keys that a device may be known by. A sign-in stores the first one. */
export type DeviceKeys = readonly [string, ...string[]];

/**
 * Returns the keys of a user's device: digests of its kind and place, the one under the newest entry of `SECRET_KEYS`
 * first. The last key is made of the kind alone, as in migration 0013; 90 days after that migration, no such key is
 * left.
 */
export async function deviceKeys(keys: KeyRing, userId: string, { kind, place }: Device): Promise<DeviceKeys> {
  const [newest, ...older] = keys;
  const keyUnder = (key: KeyRing[number]) => digest([key], `device:${userId}`, JSON.stringify([kind, place]));
  return [await keyUnder(newest), ...(await Promise.all(older.map(keyUnder))), `kind:${kind}`];
}
