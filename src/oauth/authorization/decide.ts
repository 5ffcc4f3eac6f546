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
  | { kind: "sign-in" | "sign-up" }
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
  const membership = chooseTenant(client, request, person);
  if (membership.isSuspended) throw denied("The tenant is suspended.");
  if (lacksSecondFactor({ ...session, secondFactorDueAt: membership.secondFactorDueAt }, deps.now())) {
    throw refusal("interaction_required", "The tenant requires a second factor.");
  }
  if (session.account.emailVerifiedAt === null && !client.settings.unverifiedEmail) {
    throw denied("The person's address is not verified.");
  }
  const asked = missingConsent(client, request, membership);
  if (asked.length === 0) return { kind: "code", membership };
  if (isQuiet) throw refusal("consent_required", "The person has not allowed this.");
  return { kind: "consent", membership, scopes: asked };
}

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
  return isTooOld || ["login", "select_account", "create"].some((prompt) => prompts.some((one) => one === prompt));
}

/** Throws access_denied for a tenant that the person is no member of, as for one that does not exist. */
function chooseTenant(
  client: ClientRow,
  request: AuthorizationRequest,
  { session, memberships }: SignedInPerson,
): Membership {
  const { tenants } = client.settings;
  const open = memberships.filter(({ tenantId }) => tenants === null || tenants.includes(tenantId));
  if (request.tenant !== null) {
    const { id, externalId } = parseTenantName(request.tenant);
    const named = open.find((one) => (id === null ? one.externalId === externalId : one.tenantId === id));
    if (!named) throw denied("The person is not a member of the tenant.");
    return named;
  }
  const usedLast = open.filter(({ usedAt }) => usedAt !== null).sort((a, b) => (b.usedAt ?? 0) - (a.usedAt ?? 0))[0];
  const chosen = usedLast ?? open.find(({ tenantId }) => tenantId === session.tenantId) ?? open[0];
  if (!chosen) throw denied("The person is a member of no tenant that this app is for.");
  return chosen;
}

function missingConsent(client: ClientRow, { scopes, prompts }: AuthorizationRequest, { consented }: Membership) {
  if (client.settings.consent === "skip") return [];
  const allowed = consented === null ? [] : (JSON.parse(consented) as string[]);
  return prompts.includes("consent") ? scopes : scopes.filter((scope) => !allowed.includes(scope));
}
