/** What a sign-on of the person of a test would do. */
import type { Deps } from "../../base/deps";
import { SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import type { Would } from "../traces/schemas";

/** A test that a sign-on would not get through is not good. */
export async function judgeTest(
  _deps: Deps,
  { role, email }: SignedOn,
): Promise<{ refused: SignOnRefused | null; would: Would }> {
  const judged = role === "unchanged" ? { role: null, rule: null } : role;
  const would: Would = {
    account: null,
    ...judged,
    domain: email === null ? null : email.slice(email.lastIndexOf("@") + 1),
  };
  const hasNoRole = role !== "unchanged" && role.role === null;
  return { refused: hasNoRole ? new SignOnRefused("person", "no_role") : null, would };
}
