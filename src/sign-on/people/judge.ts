/**
 * Who becomes whom: whether a sign-on opens a session, of which account, and with which role. A tenant's provider
 * speaks for that tenant alone, so it names no account that somebody else may have, no owner and no operator.
 */
import type { Config } from "../../base/config/config";
import { GOOGLE_ISSUER } from "../../base/schemas/connection-settings";
import type { Role } from "../../base/schemas/roles";
import { type ReasonFacts, type RefusalReason, SignOnRefused } from "../refused";
import type { JudgedRole, SignedOn } from "../signed-on";
import { domainOf, type PossibleAccount, type PresentConnection, type SignOnWorld } from "./world-store";

/** What the person must show besides, by a code that is mailed to them. */
export type MailedProof = "address" | "owner";

/** What a sign-on leads to. */
export interface SignOnVerdict {
  /** Null: an account is made. */
  account: PossibleAccount | null;
  /** Whether the subject is known already. */
  isKnown: boolean;
  /** The role with which the person joins; null: they are a member. */
  joinsAs: Role | null;
  /** Whether they join by the invitation whose token they have. */
  isInvited: boolean;
  /** The role that the member gets; null: it stays. */
  newRole: Role | null;
  /** The rule about groups of the directory by which that was judged; null: none fits. Missing: there is none. */
  groupRule?: number | null;
  /** Whether whoever has registered the address without proving it loses the account first. */
  takesOver: boolean;
  /** Null: nothing. */
  proof: MailedProof | null;
}

/** What of our settings counts. */
type Settings = Pick<Config, "operators" | "mailCode">;

/** Decides by the rules in their order, of which the first that fits counts. Throws SignOnRefused. */
export function judge(config: Settings, signedOn: SignedOn, world: SignOnWorld): SignOnVerdict {
  const { connection, known, named, addressed } = world;
  const account = known ?? named ?? addressed ?? null;
  if (connection.isTenantSuspended || account?.isSuspended === 1) throw refused("suspended");
  if ([signedOn.email, account?.email].some((email) => email && config.operators.includes(email))) {
    throw refused("operator");
  }
  const isOfGoogle = connection.settings.oidc.issuer === GOOGLE_ISSUER;
  if (isOfGoogle && !connection.isHostedDomainProved) {
    throw refused("hd", { actual: signedOn.hostedDomain ?? "no organisation" });
  }
  if (world.isDeactivated) throw refused("deactivated");
  const { provisioning } = connection.settings;
  if (provisioning === "directory" && !world.isProvisioned) throw refused("not_provisioned");
  if (known) return judgeKnown(signedOn, connection, known, world);
  return judgeNew(config, signedOn, connection, world);
}

const refused = (reason: RefusalReason, facts?: ReasonFacts) => new SignOnRefused("person", reason, facts);

function judgeKnown(
  signedOn: SignedOn,
  connection: PresentConnection,
  known: PossibleAccount,
  world: SignOnWorld,
): SignOnVerdict {
  if (known.isRemoved === 1) throw refused("removed");
  const roles = rolesOf(signedOn, connection, known, world);
  return { account: known, isKnown: true, ...roles, takesOver: false, proof: null };
}

function judgeNew(
  config: Settings,
  signedOn: SignedOn,
  connection: PresentConnection,
  world: SignOnWorld,
): SignOnVerdict {
  const { email, emailVerified } = signedOn;
  const { named } = world;
  if (named) return judgeNamed(config, signedOn, named, world);
  const { addressed } = world;
  if (email === null) throw refused("no_email", { claim: connection.settings.attributes.email });
  if (emailVerified === false) throw refused("email_unverified");
  const takesCodes = config.mailCode === "on";
  const isOutside = !connection.isDomainProved;
  if (isOutside && (connection.settings.outsideDomains !== "mailCode" || !takesCodes)) {
    throw refused("domain_not_proved", { domain: domainOf(email) });
  }
  // Addresses pass on to other people, and subjects do not.
  if (addressed?.hasSubject === 1) throw refused("subject_changed");
  const isOwner = addressed?.role === "owner";
  // Whoever rules the provider must not become the owner.
  if (isOwner && !takesCodes) throw refused("owner_consent");
  return {
    account: addressed ?? null,
    isKnown: false,
    ...rolesOf(signedOn, connection, addressed, world),
    takesOver: addressed !== undefined && addressed.emailVerifiedAt === null,
    proof: isOwner ? "owner" : isOutside ? "address" : null,
  };
}

/** The directory has said whose the subject is: neither the address nor its domain must. */
function judgeNamed(
  { mailCode }: Settings,
  signedOn: SignedOn,
  named: PossibleAccount,
  world: SignOnWorld,
): SignOnVerdict {
  if (named.hasSubject === 1) throw refused("subject_changed");
  const isOwner = named.role === "owner";
  if (isOwner && mailCode !== "on") throw refused("owner_consent");
  const roles = rolesOf(signedOn, world.connection, named, world);
  return { account: named, isKnown: false, ...roles, takesOver: false, proof: isOwner ? "owner" : null };
}

type Roles = Pick<SignOnVerdict, "joinsAs" | "isInvited" | "newRole" | "groupRule">;

/** Roles that somebody has given by hand stay, and owners stay owners. */
function rolesOf(
  signedOn: SignedOn,
  connection: PresentConnection,
  account: PossibleAccount | undefined,
  { invitedAs }: SignOnWorld,
): Roles {
  const { settings, hasDirectory, groupRule } = connection;
  const role = account?.role ?? null;
  const stays = { joinsAs: null, isInvited: false, newRole: null, ...(hasDirectory ? { groupRule } : {}) };
  const byRules = roleByRules(signedOn, connection);
  if (role === null) {
    if (invitedAs !== null) return { ...stays, joinsAs: invitedAs, isInvited: true };
    return { ...stays, joinsAs: givenRole(byRules, settings.roles.default) };
  }
  const follows = account?.roleBy === "directory" && role !== "owner" && settings.roles.when === "every";
  if (!follows || byRules === "unchanged") return stays;
  const given = givenRole(byRules, settings.roles.default);
  return { ...stays, newRole: given === role ? null : given };
}

/** What the rules say: over the groups of the directory where there is one, and over the claims. */
export function roleByRules(
  { role, claimRule }: SignedOn,
  { hasDirectory, groupRule, settings: { roles } }: PresentConnection,
): JudgedRole {
  if (!hasDirectory) return role;
  const fitting = [claimRule, groupRule].filter((index) => typeof index === "number");
  const rule = fitting.length === 0 ? null : Math.min(...fitting);
  return { role: rule === null ? roles.default : (roles.rules[rule]?.role ?? null), rule };
}

/** The role by the rules. No rule makes an owner, whatever is stored. */
function givenRole(role: JudgedRole, byDefault: Role | null): Role {
  const given = role === "unchanged" ? byDefault : role.role;
  if (given === null || given === "owner") throw refused("no_role");
  return given;
}
