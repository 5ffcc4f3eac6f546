/** What a browser and an app keep for us, encrypted: a request between its pages, an answer to a page, and a code. */
import type { Deps } from "../../base/deps";
import { decryptState, encryptState } from "../../base/short-lived";

interface Expiring {
  /** Unix ms. */
  expiresAt: number;
}

/** What a value is for. A value sealed for one purpose cannot be used for another. */
type Purpose = "request" | "pushed" | "consent" | "code";

const purposeOf = (purpose: Purpose) => `oauth:${purpose}`;

/** In the alphabet of URLs. */
export const seal = async <T extends Expiring>(deps: Deps, purpose: Purpose, value: T): Promise<string> =>
  (await encryptState(deps, purposeOf(purpose), value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Null if the value is missing, has expired or was not encrypted by us. */
export async function unseal<T extends Expiring>(deps: Deps, purpose: Purpose, sealed: string): Promise<T | null> {
  const standard = sealed.replaceAll("-", "+").replaceAll("_", "/");
  const value = standard === "" ? null : await decryptState<T>(deps, purposeOf(purpose), standard);
  return value && value.expiresAt > deps.now() ? value : null;
}
