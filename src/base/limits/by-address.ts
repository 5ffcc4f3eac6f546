/** Limits by the address of whoever asks, and by the network of the address. */
import type { Limiter } from "./limiter";
import { networkOf } from "./network";
import { countsNetwork, type LimitName, NETWORK_FACTOR, type Rule, type RuleName } from "./rules";
import type { LimitVerdict } from "./window";

/** What counting needs of the dependencies. */
export interface Counting {
  limiter: Limiter;
  config: { rules: Record<LimitName, Rule> };
  background(what: string, work: Promise<unknown>): void;
}

/** Whose units a verdict is about: the address, or its network where that has no room. */
export type AddressVerdict = LimitVerdict & { key: string };

/**
 * Counts a request of an address and, where the limit does, of its network. A request that the network has no room for
 * does not count for the address. Null when the limiter is down and the limit then lets requests pass.
 */
export async function consumeByAddress(
  { limiter, background, config }: Counting,
  rule: RuleName,
  clientIp: string,
  units = 1,
): Promise<AddressVerdict | null> {
  const verdict = await limiter.consume(rule, clientIp, units);
  const network = countsNetwork(rule, clientIp) ? networkOf(clientIp) : null;
  if (verdict?.allowed === true && network !== null) {
    const ofNetwork = await limiter.consume(rule, network, units, NETWORK_FACTOR * config.rules[rule].limit);
    if (ofNetwork?.allowed === false) {
      background("rate limit", limiter.giveBack(rule, clientIp, { leavesAtMs: verdict.leavesAtMs, units }));
      return { ...ofNetwork, limit: verdict.limit, key: network };
    }
  }
  return verdict && { ...verdict, key: clientIp };
}
