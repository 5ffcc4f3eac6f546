/** What an authorization request leads to: a page for a person, an error for the app, or its code. */
import type { Deps } from "../../base/deps";
import { isUnlistedKind } from "../../base/schemas/client-settings";
import { confinedTo, isConfined, type SessionPrincipal } from "../../base/schemas/principal";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { MINUTE_MS } from "../../base/time";
import { relyingParty } from "../../identity/passkeys/webauthn/relying-party";
import { lacksSecondFactor } from "../../identity/policy/lock-out";
import { parseTenantName } from "../../tenancy/tenants/tenant-name";
import { needsClick } from "../clients/needs-click";
import type { ClientRow } from "../clients/store";
import { OAuthError, type OAuthErrorCode } from "../errors";
import { ofResource } from "../granted-scopes";
import { type AcrLevel, levelOf, reaches } from "./acr";
import type { AuthorizationRequest } from "./request";
import type { Membership } from "./store";

export type SignInDecision =
  | { kind: "sign-in" | "sign-up" | "account" | "unverified" }
  /** The person shows again who they are; with a passkey, where nothing else will do. */
  | { kind: "confirm"; withPasskey: boolean }
  /** The person sets up a second factor, or a passkey. */
  | { kind: "factor"; by: string; level: AcrLevel; hasPasskey: boolean }
  | { kind: "tenant"; open: readonly Membership[] }
  /** The person signs on with the provider of the tenant. */
  | { kind: "sign-on"; tenantId: string }
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
  const step = nextStep(deps, client, request, person, hintedUserId);
  if (request.prompts.includes("none") && step.quietly) throw refusal(...step.quietly);
  return step.decision;
}

/** What comes next, and what an app is told that wants no page. */
interface Step {
  decision: SignInDecision;
  quietly?: readonly [code: OAuthErrorCode, description: string];
}

function nextStep(
  deps: Deps,
  client: ClientRow,
  request: AuthorizationRequest,
  person: SignedInPerson | null,
  hintedUserId: string | null | undefined,
): Step {
  const who = person ? needsSignIn(deps, request, person.session, hintedUserId) : "somebody";
  const quietly = ["login_required", "Somebody must sign in."] as const;
  if (who !== null && request.prompts.includes("create")) return { decision: { kind: "sign-up" }, quietly };
  if (who === "same") return { decision: { kind: "confirm", withPasskey: false }, quietly };
  if (!person || who !== null) return { decision: { kind: "sign-in" }, quietly };
  if (!asksForAccount(request, person.session)) return stepInTenant(deps, client, request, person);
  return { decision: { kind: "account" }, quietly: ["login_required", "Another account is signed in."] };
}

/** Where the person signs in, and what that takes. */
function stepInTenant(deps: Deps, client: ClientRow, request: AuthorizationRequest, person: SignedInPerson): Step {
  const { session } = person;
  const membership = chooseTenant(client, request, person);
  if ("open" in membership) {
    const decision = { kind: "tenant", open: membership.open } as const;
    return { decision, quietly: ["interaction_required", "The person must choose a tenant."] };
  }
  const isRefused = isUnlistedKind(client.kind) && membership.refusesUnlisted === 1;
  if (membership.isBlocked || isRefused) throw denied("The app is blocked there.");
  if (membership.isSuspended) throw denied("The tenant is suspended.");
  if (membership.mustSignOn === 1) {
    const quietly = ["login_required", "The tenant requires its own sign-on."] as const;
    return { decision: { kind: "sign-on", tenantId: membership.tenantId }, quietly };
  }
  const hasPasskey = membership.hasPasskey === 1 && takesPasskeys(deps);
  if (lacksSecondFactor({ ...session, secondFactorDueAt: membership.secondFactorDueAt }, deps.now())) {
    const decision = { kind: "factor", by: membership.tenantName, level: "mfa", hasPasskey } as const;
    return { decision, quietly: ["interaction_required", "The tenant requires a second factor."] };
  }
  if (session.account.emailVerifiedAt === null && !isOpenToUnverified(client, request)) {
    const quietly = ["interaction_required", "The person's address is not verified."] as const;
    return { decision: { kind: "unverified" }, quietly };
  }
  const factor = factorNeeded(deps, client, request, session, hasPasskey);
  if (factor) return { decision: factor, quietly: ["interaction_required", "The person must show another factor."] };
  const scopes = missingConsent(client, request, membership);
  // Whoever has made a device ask must not have somebody else let it in by a mere link (RFC 8628 section 5.4).
  if (scopes.length === 0 && !request.device)
    return { decision: { kind: "code", membership }, ...quietlyByClick(client, request) };
  const quietly = ["consent_required", "The person has not allowed this."] as const;
  if (isSensitive(request, scopes) && deps.now() - session.confirmedAt > SENSITIVE_WITHIN_MS) {
    return { decision: { kind: "confirm", withPasskey: false }, quietly };
  }
  return { decision: { kind: "consent", membership, scopes }, quietly };
}

/** Where a page with a button comes before the answer, it is none without a page. */
const quietlyByClick = (client: ClientRow, { redirectUri }: AuthorizationRequest): Pick<Step, "quietly"> =>
  needsClick(client, redirectUri) ? { quietly: ["interaction_required", "The person must go on by a click."] } : {};

const SENSITIVE_WITHIN_MS = 10 * MINUTE_MS;

/** Whether one of the scopes wants a sign-in of the last minutes. */
const isSensitive = ({ resources }: AuthorizationRequest, scopes: readonly string[]): boolean =>
  resources.some(({ id, settings }) =>
    settings.scopes.some(({ name, sensitive }) => sensitive === true && scopes.includes(ofResource(id, name))),
  );

/** Whoever registered somebody else's address must connect nothing that outlives the owner's verification. */
const isOpenToUnverified = ({ settings }: ClientRow, { scopes }: AuthorizationRequest): boolean =>
  settings.unverifiedEmail && settings.consent === "skip" && !scopes.includes("offline_access");

const refusal = (code: OAuthErrorCode, description: string) => new OAuthError(code, description);
const denied = (description: string) => refusal("access_denied", description);

/** Whether passkeys work on our pages. */
const takesPasskeys = ({ config }: Deps): boolean => relyingParty(config).origins.includes(config.tokenIssuer);

/**
 * What the person must do so that the sign-in is as the client's settings want it, or as the app asks for it. An app
 * that asks gets what there is (OpenID Connect Core 5.5.1.1); a setting binds.
 */
function factorNeeded(
  deps: Deps,
  { name, settings }: ClientRow,
  { acr }: AuthorizationRequest,
  session: SessionPrincipal,
  hasPasskey: boolean,
): SignInDecision | null {
  const { methods, account } = session;
  const required = settings.acr ?? null;
  const confined = isConfined(session);
  const canReach = (level: AcrLevel) =>
    !confined && (hasPasskey || (level === "mfa" && account.totpEnabledAt !== null));
  const levels = [required, levelOf(acr)].filter((level) => level !== null && !reaches(methods, level));
  const possible = levels.find((level) => level !== null && canReach(level));
  if (required !== null && !reaches(methods, required) && !canReach(required)) {
    if (confined || (required === "phr" && !takesPasskeys(deps))) {
      throw refusal("unmet_authentication_requirements", "The person cannot sign in as the app requires.");
    }
    return { kind: "factor", by: name, level: required, hasPasskey };
  }
  return possible ? { kind: "confirm", withPasskey: levels.includes("phr") && hasPasskey } : null;
}

/** Who must sign in, or show again who they are: the same person, or somebody else; null for nobody. */
function needsSignIn(
  deps: Deps,
  { prompts, maxAge, at }: AuthorizationRequest,
  { userId, confirmedAt }: SessionPrincipal,
  hintedUserId: string | null | undefined,
): "same" | "somebody" | null {
  const hasJustSignedIn = confirmedAt >= at;
  if (hasJustSignedIn) return null;
  if (hintedUserId !== undefined && hintedUserId !== userId) return "somebody";
  const isTooOld = maxAge !== null && deps.now() - confirmedAt > maxAge * 1000;
  return isTooOld || prompts.some((prompt) => prompt === "login" || prompt === "create") ? "same" : null;
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
  { session, memberships }: SignedInPerson,
): Membership | { open: readonly Membership[] } {
  const { tenants } = client.settings;
  // A tenant's app is for its members alone, and so is a tenant's API.
  const ownTenant = confinedTo(session);
  const owners = [client, ...request.resources].map(({ tenantId }) => tenantId).filter((id) => id !== PLATFORM_TENANT);
  const open = memberships.filter(
    ({ tenantId }) =>
      (tenants === null || tenants.includes(tenantId)) &&
      owners.every((ownerId) => ownerId === tenantId) &&
      [null, tenantId].includes(ownTenant),
  );
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

function missingConsent(
  client: ClientRow,
  { scopes, prompts }: AuthorizationRequest,
  { consented, documentHash }: Membership,
) {
  if (client.settings.consent === "skip") return [];
  // The app is another one than the person has allowed this.
  if (documentHash !== client.documentHash) return scopes;
  const allowed = consented === null ? [] : (JSON.parse(consented) as string[]);
  return prompts.includes("consent") ? scopes : scopes.filter((scope) => !allowed.includes(scope));
}
