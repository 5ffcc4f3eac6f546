/** What a sign-on of the person of a test would do: it is judged as one, and nothing is written. */
import type { Deps } from "../../base/deps";
import { judge, roleByRules, type SignOnVerdict } from "../people/judge";
import { findObstacle } from "../people/obstacle-store";
import { domainOf, readWorld, type SignOnWorld } from "../people/world-store";
import { SignOnRefused } from "../refused";
import type { JudgedRole, SignedOn } from "../signed-on";
import type { Would } from "../traces/schemas";

/** A test that a sign-on would not get through is not good. */
export async function judgeTest(
  deps: Deps,
  signedOn: SignedOn,
): Promise<{ refused: SignOnRefused | null; would: Would }> {
  const world = await readWorld(deps, signedOn, deps.now());
  const role = world ? roleByRules(signedOn, world.connection) : signedOn.role;
  const byRules = role === "unchanged" ? { role: null, rule: null } : role;
  const would: Would = { account: null, ...byRules, domain: domainOf(signedOn.email) || null };
  // The connection is gone.
  if (!world) return { refused: null, would };
  try {
    return { refused: null, would: { ...would, ...outcomeOf(await verdictOn(deps, signedOn, world), role) } };
  } catch (error) {
    if (error instanceof SignOnRefused) return { refused: error, would };
    throw error;
  }
}

/** Throws SignOnRefused. */
async function verdictOn(deps: Deps, signedOn: SignedOn, world: SignOnWorld): Promise<SignOnVerdict> {
  const verdict = judge(deps.config, signedOn, world);
  const obstacle = await findObstacle(deps, signedOn, verdict, deps.now());
  if (obstacle !== null) throw new SignOnRefused("person", obstacle);
  return verdict;
}

function outcomeOf(
  { account, isKnown, joinsAs, newRole }: SignOnVerdict,
  byRules: JudgedRole,
): Pick<Would, "account" | "role" | "rule"> {
  const role = joinsAs ?? newRole ?? account?.role ?? null;
  const isByRules = byRules !== "unchanged" && byRules.role === role;
  return {
    account: isKnown ? "found" : account === null ? "made" : "linked",
    role,
    rule: isByRules ? byRules.rule : null,
  };
}
