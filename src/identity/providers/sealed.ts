/** What a browser keeps for us, encrypted, between the steps of a sign-in: the state of a flow, and then its result. */
import type { Deps } from "../../base/deps";
import { decryptState, encryptState } from "../../base/short-lived";

interface Expiring {
  /** Unix ms. */
  expiresAt: number;
}

/** What a value is for. A value sealed for one purpose cannot be used for another. */
type Purpose =
  | "flow"
  | "outcome"
  | "sign-on flow"
  | "sign-on ticket"
  | "sign-on answer"
  | "sign-on link"
  | "signed on"
  | "confirmed by sign-on";

const purposeOf = (purpose: Purpose) => `oidc:${purpose}`;

export const seal = (deps: Deps, purpose: Purpose, value: Expiring): Promise<string> =>
  encryptState(deps, purposeOf(purpose), value);

/** Decrypts a value. Returns null if it is missing, has expired or was not encrypted by us. */
export async function unseal<T extends Expiring>(
  deps: Deps,
  purpose: Purpose,
  sealed: string | undefined,
): Promise<T | null> {
  const value = sealed ? await decryptState<T>(deps, purposeOf(purpose), sealed) : null;
  return value && value.expiresAt > deps.now() ? value : null;
}
