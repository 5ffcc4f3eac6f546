/** What a tenant requires of its members: a second factor, and its own sign-on. */

import { hasSignOn } from "../../base/config/sign-on-settings";
import type { Deps } from "../../base/deps";
import { AppError, type ErrorDetail, invalidField, notFound, unavailable } from "../../base/errors";
import type { PlatformKeyPrincipal, SessionPrincipal } from "../../base/schemas/principal";
import { iso } from "../../base/time";
import { inTenant } from "../../identity/platform-keys/audit-store";
import { requireTenant } from "../../identity/platform-keys/subjects";
import type { Policy, PolicyChange } from "../../identity/policy/schemas";
import {
  findPolicy,
  type PolicyChanger,
  type PolicyRow,
  type Requirements,
  updatePolicy,
} from "../../identity/policy/store";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import { lookUpAgain } from "../domains/look-up-again";

const viewOf = ({ config }: Pick<Deps, "config">, row: PolicyRow | undefined, isSession: boolean): Policy => {
  if (!row) throw notFound("Tenant");
  const { requireSecondFactor, graceDays, unlistedApps, membersWithout, enforcedFrom } = row;
  const hasUnlisted =
    config.oauthServer === "on" && (config.oauthClientMetadata !== "off" || config.oauthRegistration === "on");
  return {
    requireSecondFactor,
    graceDays,
    enforcedFrom: iso(enforcedFrom),
    ...(hasUnlisted ? { unlistedApps } : {}),
    ...(row.signOnFrom !== null && hasSignOn(config) ? { signOn: signOnView(row, row.signOnFrom, isSession) } : {}),
    membersWithout,
  };
};

const signOnView = (row: PolicyRow, from: number, isSession: boolean): Policy["signOn"] => ({
  require: row.requireSignOn,
  graceDays: row.signOnGraceDays,
  from: iso(from),
  membersWithout: row.signOnWithout,
  ...(isSession ? { endsThisSession: row.endsThisSession === 1 } : {}),
});

/** Returns what the caller's tenant requires. */
export const policyOfTenant = async (deps: Deps, caller: SessionPrincipal): Promise<Policy> =>
  viewOf(deps, await findPolicy(deps, caller.tenantId, caller), true);

/**
 * Changes what the caller's tenant requires, tells its owners and returns it. Throws SECOND_FACTOR_REQUIRED for a
 * caller who would lock themselves out, CONFLICT naming what is missing to require sign-on, and SERVICE_UNAVAILABLE
 * where DNS does not say whose the domains are.
 */
export async function changePolicy(deps: Deps, caller: SessionPrincipal, change: PolicyChange): Promise<Policy> {
  const { tenantId, actor, account } = caller;
  const changer: PolicyChanger = {
    tenantId,
    asking: caller,
    eventsOf: (event) => [{ ...event, tenantId, actor }],
  };
  return changeAndTell(deps, changer, change, account.email);
}

/** Returns what a tenant requires. Throws NOT_FOUND. */
export async function policyFor(deps: Deps, key: PlatformKeyPrincipal, ref: string): Promise<Policy> {
  const { tenantId } = await requireTenant(deps, key, ref);
  return viewOf(deps, await findPolicy(deps, tenantId), false);
}

/** Changes what a tenant requires, tells its owners and returns it. Throws NOT_FOUND, and as `changePolicy`. */
export async function changePolicyBy(
  deps: Deps,
  key: PlatformKeyPrincipal,
  ref: string,
  change: PolicyChange,
): Promise<Policy> {
  const { tenantId } = await requireTenant(deps, key, ref);
  const changer: PolicyChanger = {
    tenantId,
    asking: null,
    eventsOf: ({ action, target, meta }) => inTenant(key, tenantId, action, target, meta),
  };
  return changeAndTell(deps, changer, change, key.actor.name ?? "");
}

async function changeAndTell(deps: Deps, changer: PolicyChanger, change: PolicyChange, by: string): Promise<Policy> {
  if (change.signOn) await prepare(deps, changer.tenantId, change.signOn);
  const { isChanged, isSignOnChanged, policy, requirements } = await updatePolicy(deps, changer, change, deps.now());
  refuseUnmet(change, requirements);
  const view = viewOf(deps, policy, changer.asking !== null);
  if (isChanged) {
    const { requireSecondFactor, graceDays } = view;
    tellOwners(deps, changer.tenantId, { what: "securityChanged", by, requireSecondFactor, graceDays });
  } else if (requirements?.hasOwnFactor !== 1 && isStricter(view, change)) {
    throw new AppError("SECOND_FACTOR_REQUIRED", {
      message: "Set up two-factor authentication or a passkey for your own account first.",
    });
  }
  if (isSignOnChanged && policy) {
    const { requireSignOn: require, signOnGraceDays: graceDays } = policy;
    tellOwners(deps, changer.tenantId, { what: "signOnRequired", by, require, graceDays });
  }
  return view;
}

/** Looks the domains up whose people would have to sign on: they may be somebody else's by now. */
async function prepare(deps: Deps, tenantId: string, { require }: NonNullable<PolicyChange["signOn"]>): Promise<void> {
  if (!hasSignOn(deps.config)) throw invalidField("signOn", "Single sign-on is switched off here");
  if (require !== "domains" || (await findPolicy(deps, tenantId))?.requireSignOn === "domains") return;
  const found = await lookUpAgain(deps, tenantId);
  if (found === "unknown") throw unavailable({ message: "DNS gave no answer. Try again later." });
  if (found === "denied") throw lacking([LACKING.domain]);
}

type Needed = Exclude<keyof Requirements, "hasOwnFactor">;

const LACKING: Readonly<Record<Needed, ErrorDetail>> = {
  connection: { path: "connection", message: "Activate a connection" },
  domain: { path: "domain", message: "Prove a domain: its record must be in DNS now" },
  tried: { path: "test", message: "Sign on yourself, or test the connection: within seven days" },
  factor: { path: "factor", message: "Set up two-factor authentication or a passkey of your own" },
};

const lacking = (details: ErrorDetail[]) =>
  new AppError("CONFLICT", { message: `${details[0]?.message ?? ""} first.`, details });

function refuseUnmet({ signOn }: PolicyChange, requirements: Requirements | undefined): void {
  if (!signOn || signOn.require === "off" || !requirements) return;
  const names = Object.keys(LACKING) as Needed[];
  const unmet = names.filter((name) => requirements[name] === 0).map((name) => LACKING[name]);
  if (unmet.length > 0) throw lacking(unmet);
}

/** Whether the change would have turned the policy on, or changed it while it is on. */
const isStricter = (present: Policy, { requireSecondFactor = present.requireSecondFactor, graceDays }: PolicyChange) =>
  requireSecondFactor !== "off" &&
  (requireSecondFactor !== present.requireSecondFactor || (graceDays ?? present.graceDays) !== present.graceDays);
