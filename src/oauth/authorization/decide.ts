/** What an authorization request leads to: a page for a person, an error for the app, or its code. */
import type { Deps } from "../../base/deps";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { lacksSecondFactor } from "../../identity/policy/lock-out";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import type { ClientRow } from "../clients/store";
import { OAuthError, type OAuthErrorCode } from "../errors";
import type { AuthorizationRequest } from "./request";
import type { Membership } from "./store";

export type SignInDecision =
  | { kind: "sign-in" | "sign-up" | "account" }
  | { kind: "tenant"; open: readonly Membership[] }
  | { kind: "consent"; membership: Membership; scopes: readonly string[] }
  | { kind: "code"; membership: Membership };

/** Who is signed in, and where they are members. */
export interface SignedInPerson {
  session: SessionPrincipal;
  memberships: readonly Membership[];
}

/** `hintedUserId` is whose ID token the app shows; undefined without. Throws OAuthError, which goes to the app. */
export function decide(
  deps: Deps,
  client: ClientRow,
  request: AuthorizationRequest,
  person: SignedInPerson | null,
  hintedUserId: string | null | undefined,
): SignInDecision {
  const isQuiet = request.prompts.includes("none");
  if (!person || needsSignIn(deps, request, person.session, hintedUserId)) {
    if (isQuiet) throw refusal("login_required", "Somebody must sign in.");
    return { kind: request.prompts.includes("create") ? "sign-up" : "sign-in" };
  }
  const { session } = person;
  if (asksForAccount(request, session)) {
    if (isQuiet) throw refusal("login_required", "Another account is signed in.");
    return { kind: "account" };
  }
  const membership = chooseTenant(client, request, person);
  if ("open" in membership) {
    if (isQuiet) throw refusal("interaction_required", "The person must choose a tenant.");
    return { kind: "tenant", open: membership.open };
  }
  if (membership.isSuspended) throw denied("The tenant is suspended.");
  if (lacksSecondFactor({ ...session, secondFactorDueAt: membership.secondFactorDueAt }, deps.now())) {
    throw refusal("interaction_required", "The tenant requires a second factor.");
  }
  if (session.account.emailVerifiedAt === null && !isOpenToUnverified(client, request)) {
    throw denied("The person's address is not verified.");
  }
  const asked = missingConsent(client, request, membership);
  if (asked.length === 0) return { kind: "code", membership };
  if (isQuiet) throw refusal("consent_required", "The person has not allowed this.");
  return { kind: "consent", membership, scopes: asked };
}

/** Whoever registered somebody else's address must connect nothing that outlives the owner's verification. */
const isOpenToUnverified = ({ settings }: ClientRow, { scopes }: AuthorizationRequest): boolean =>
  settings.unverifiedEmail && settings.consent === "skip" && !scopes.includes("offline_access");

const refusal = (code: OAuthErrorCode, description: string) => new OAuthError(code, description);
const denied = (description: string) => refusal("access_denied", description);

/** Whether the person must sign in, anew if they have since the app asked. */
function needsSignIn(
  deps: Deps,
  { prompts, maxAge, at }: AuthorizationRequest,
  { userId, confirmedAt }: SessionPrincipal,
  hintedUserId: string | null | undefined,
): boolean {
  const hasJustSignedIn = confirmedAt >= at;
  if (hasJustSignedIn) return false;
  if (hintedUserId !== undefined && hintedUserId !== userId) return true;
  const isTooOld = maxAge !== null && deps.now() - confirmedAt > maxAge * 1000;
  return isTooOld || ["login", "create"].some((prompt) => prompts.some((one) => one === prompt));
}

/** Whether the person must say that the account is the right one, because the app asks for that or names another. */
function asksForAccount(
  { prompts, loginHint, stayedIn, at }: AuthorizationRequest,
  { sessionId, confirmedAt, account }: SessionPrincipal,
): boolean {
  if (stayedIn === sessionId || confirmedAt >= at) return false;
  const isOther = loginHint.includes("@") && loginHint.normalize("NFKC").trim().toLowerCase() !== account.email;
  return isOther || prompts.includes("select_account");
}

/**
 * The tenant of the sign-in, or those among which the person must choose. Throws access_denied for a tenant that the
 * person is no member of, as for one that does not exist.
 */
function chooseTenant(
  client: ClientRow,
  request: AuthorizationRequest,
  { memberships }: SignedInPerson,
): Membership | { open: readonly Membership[] } {
  const { tenants } = client.settings;
  const open = memberships.filter(({ tenantId }) => tenants === null || tenants.includes(tenantId));
  const named = request.tenant === null ? null : parseTenantName(request.tenant);
  const isNamed = (one: Membership) =>
    named === null || (named.id === null ? one.externalId === named.externalId : one.tenantId === named.id);
  const possible = open.filter((one) => isNamed(one) && [null, one.tenantId].includes(request.tenantId));
  const [only, ...others] = possible;
  if (!only) throw denied("The person is not a member of the tenant, or of none that this app is for.");
  if (others.length === 0) return only;
  const usedLast = possible
    .filter(({ usedAt }) => usedAt !== null)
    .sort((a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0))[0];
  return usedLast ?? { open: possible };
}

function missingConsent(client: ClientRow, { scopes, prompts }: AuthorizationRequest, { consented }: Membership) {
  if (client.settings.consent === "skip") return [];
  const allowed = consented === null ? [] : (JSON.parse(consented) as string[]);
  return prompts.includes("consent") ? scopes : scopes.filter((scope) => !allowed.includes(scope));
}
