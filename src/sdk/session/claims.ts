/** What the verifiers of sessions and of apps' tokens share: reading claims, times and the list of revoked tokens. */
import { SessionError } from "./errors";
import type { Claims } from "./jws";
import type { CheckedOptions } from "./options";
import type { Revocable, Revocations } from "./revocations";

export const MAX_TOKEN_BYTES: number = 8 * 1024;

/** They throw SessionError: MALFORMED for a claim of another type. */
interface ClaimReader {
  text(name: string): string;
  textOrNull(name: string): string | null;
  time(name: string): Date;
  timeOrNull(name: string): Date | null;
  /** Empty without the claim. */
  texts(name: string): string[];
}

export function claimReader(claims: Claims): ClaimReader {
  const text = (name: string): string => {
    const value = claims[name];
    if (typeof value !== "string") throw new SessionError("MALFORMED");
    return value;
  };
  const time = (name: string): Date => {
    const value = claims[name];
    if (typeof value !== "number" || !Number.isFinite(value)) throw new SessionError("MALFORMED");
    return new Date(value * 1000);
  };
  const texts = (name: string): string[] => {
    const { [name]: value = [] } = claims;
    if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) throw new SessionError("MALFORMED");
    return value;
  };
  return {
    text,
    textOrNull: (name: string): string | null => (claims[name] === undefined ? null : text(name)),
    time,
    timeOrNull: (name: string): Date | null => (claims[name] === undefined ? null : time(name)),
    texts,
  };
}

/**
 * RFC 7519 section 4.1.6 asks for no check of `iat`, and the clocks of machines are some seconds apart. A token of the
 * far future was not issued by the clock that its revocation is compared with.
 */
const MAX_AHEAD_SECONDS = 30;

/** Throws SessionError: EXPIRED, NOT_YET_VALID. */
export function checkTimes(
  { iat, nbf, exp }: Claims,
  { toleranceSeconds, now }: Pick<CheckedOptions, "toleranceSeconds" | "now">,
): void {
  const nowSeconds = now() / 1000;
  if (nowSeconds >= Number(exp) + toleranceSeconds) throw new SessionError("EXPIRED");
  const isEarly = typeof nbf === "number" && nowSeconds < nbf - toleranceSeconds;
  const isOfTheFuture = nowSeconds < Number(iat) - Math.max(toleranceSeconds, MAX_AHEAD_SECONDS);
  if (isEarly || isOfTheFuture) throw new SessionError("NOT_YET_VALID");
}

/** What the list of revoked tokens said of a token that is not in it. */
export interface RevocationState {
  checked: boolean;
  stale: boolean;
  asOf: Date | null;
}

/** Throws SessionError: REVOKED, and STALE_REVOCATIONS if the options say so. */
export async function stateOf(
  revocations: Revocations | null,
  token: Revocable,
  { refusesStale }: Pick<CheckedOptions, "refusesStale">,
): Promise<RevocationState> {
  if (!revocations) return { checked: false, stale: false, asOf: null };
  const { isRevoked, ...state } = await revocations.check(token);
  if (isRevoked) throw new SessionError("REVOKED");
  if (state.stale && refusesStale) throw new SessionError("STALE_REVOCATIONS");
  return state;
}
