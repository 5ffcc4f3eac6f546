/** A sign-in whose password was right and whose code is still to come: sealed, so that the browser carries it and can't read it. */
import { open, seal } from "../../crypto/seal";
import type { Deps } from "../../deps";

const LIFETIME_MS = 5 * 60_000;
const OWNER = "console:sign-in";

export interface PendingSignIn {
  email: string;
  password: string;
  /** Where to go then. */
  to: string;
}

export function sealPending(deps: Deps, pending: PendingSignIn): Promise<string> {
  return seal(deps.keys, OWNER, JSON.stringify({ ...pending, expiresAt: deps.now() + LIFETIME_MS }));
}

/** Null when it is too old or not ours. */
export async function openPending(deps: Deps, sealed: string): Promise<PendingSignIn | null> {
  try {
    const { expiresAt, ...pending } = JSON.parse(await open(deps.keys, OWNER, sealed)) as PendingSignIn & {
      expiresAt: number;
    };
    return expiresAt > deps.now() ? pending : null;
  } catch {
    return null;
  }
}
