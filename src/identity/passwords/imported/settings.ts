/** What the hashes of one import need besides themselves, encrypted. */
import { decrypt, encrypt } from "../../../base/crypto/encryption";
import type { Deps } from "../../../base/deps";
import { type FirebaseSettings, firebaseSettings } from "./schemas";
import { findHashSettings } from "./store";

/** To whom the ciphertext of a row of `hash_settings` belongs. Its id is that of the import. */
export const hashSettingsOwner = (importId: string): string => `hash-settings:${importId}`;

export const sealSettings = ({ keys }: Pick<Deps, "keys">, importId: string, settings: FirebaseSettings) =>
  encrypt(keys, hashSettingsOwner(importId), JSON.stringify(settings));

export const openSettings = async ({ keys }: Deps, importId: string, sealed: string): Promise<FirebaseSettings> =>
  firebaseSettings.parse(JSON.parse(await decrypt(keys, hashSettingsOwner(importId), sealed)));

/** The settings of an import; null if they are gone. */
export async function readHashSettings(deps: Deps, importId: string): Promise<FirebaseSettings | null> {
  const sealed = await findHashSettings(deps, importId);
  return sealed === null ? null : openSettings(deps, importId, sealed);
}

/** Those of these imports that have the given settings. */
export async function importsWithSettings(
  deps: Deps,
  importIds: ReadonlySet<string>,
  settings: FirebaseSettings,
): Promise<ReadonlySet<string>> {
  const alike = new Set<string>();
  for (const id of importIds) {
    if (JSON.stringify(await readHashSettings(deps, id)) === JSON.stringify(settings)) alike.add(id);
  }
  return alike;
}
