/**
 * Looking up what a stranger presents as an id or a credential. Each look-up costs a trip to D1, so an address that has
 * presented too much that does not exist is refused before the look-up, and so is its network. What was found in this
 * isolate is let through: others may share the address.
 */
import { BoundedMap } from "../bounded-map";
import { AppError } from "../errors";
import { type Counting, consumeByAddress } from "./by-address";
import { refuseOverLimit } from "./limiter";
import { networkOf } from "./network";
import { NETWORK_FACTOR, type RuleName } from "./rules";

export type UnknownRule = Extract<RuleName, `unknown${string}`>;

interface LookingUp extends Counting {
  now(): number;
}

/** Bounds the memory. */
const MAX_REMEMBERED = 1_000;
/** When a look-up under way has an end, in seconds at most. */
const LOOK_UP_SECONDS = 1;

/** By rule, and address or network. */
const refusedUntilMs = new BoundedMap<number>(MAX_REMEMBERED);
const known = new BoundedMap<true>(MAX_REMEMBERED);
/** Look-ups under way of what is not known, by rule and network. An entry ends with its last look-up. */
const underWay = new Map<string, number>();

/**
 * Returns what `find` finds; null for nothing. `mark` is the id, or the hash of the credential. Throws RATE_LIMITED for
 * an address that presents too much that nobody knows.
 */
export async function lookUp<Found>(
  deps: LookingUp,
  rule: UnknownRule,
  { clientIp, mark }: { clientIp: string; mark: string },
  find: () => Promise<Found | null | undefined>,
): Promise<Found | null> {
  const network = networkOf(clientIp) ?? clientIp;
  const found = known.has(mark) ? await find() : await findStrange(deps, rule, [clientIp, network], find);
  if (found) {
    rememberKnown(mark);
    return found;
  }
  known.delete(mark);
  const verdict = await consumeByAddress(deps, rule, clientIp);
  if (verdict?.allowed === false) refusedUntilMs.set(`${rule} ${verdict.key}`, deps.now() + verdict.resetMs);
  refuseOverLimit(verdict);
  return null;
}

/** Remembers that there is what this mark stands for. */
export function rememberKnown(mark: string): void {
  known.set(mark, true);
}

/** Looks up what may not exist. It counts before the trip: a thousand requests at once are not a thousand trips. */
async function findStrange<Found>(
  { now, config }: LookingUp,
  rule: UnknownRule,
  [clientIp, network]: readonly [string, string],
  find: () => Promise<Found>,
): Promise<Found> {
  const refused = [clientIp, network].map((key) => refusedUntilMs.get(`${rule} ${key}`) ?? 0);
  refuseFor(Math.max(...refused) - now());
  const asked = `${rule} ${network}`;
  const before = underWay.get(asked) ?? 0;
  if (before >= NETWORK_FACTOR * config.rules[rule].limit) refuseFor(LOOK_UP_SECONDS * 1000);
  underWay.set(asked, before + 1);
  try {
    return await find();
  } finally {
    const left = (underWay.get(asked) ?? 1) - 1;
    if (left > 0) underWay.set(asked, left);
    else underWay.delete(asked);
  }
}

/** Throws RATE_LIMITED for a wait that is not over. */
function refuseFor(waitMs: number): void {
  if (waitMs > 0) throw new AppError("RATE_LIMITED", { retryAfterSeconds: Math.ceil(waitMs / 1000) });
}
