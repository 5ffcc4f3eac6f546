/** The provider's answer: who has signed on, verified. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { CONSOLE_PATH, SETUP_PATH } from "../../base/paths";
import { GOOGLE_ISSUER, type SignOnSessionSettings } from "../../base/schemas/connection-settings";
import { HOUR_MS } from "../../base/time";
import { RESULT_COOKIE } from "../../identity/providers/providers";
import { sealResult } from "../../identity/providers/sign-in-result";
import { nextPage } from "../../identity/sign-in/providers/redirects";
import type { SignOnProof } from "../../identity/step-up/store";
import { proofOf } from "../connections/keys";
import { type ConnectionRow, isOpen } from "../connections/store";
import { redirectUriOf } from "../connections/view";
import { checkClaims, type IdpClaims, verifiedClaims } from "../oidc/id-token";
import { lacksClaims, personOf } from "../oidc/person";
import { type ConnectionParty, readAnswer, readUserinfo, redeem } from "../oidc/tokens";
import { SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import { endTest, recordRefusal } from "../traces/record";
import { findById, isProvedDomain } from "./connection-store";
import { type SignOnFlow, takeFlow } from "./flow";
import { judgeTest } from "./judge-test";

/** Returns the URL to which the browser goes on. */
export async function finishSignOn(
  deps: Deps,
  connectionId: string,
  parameters: URLSearchParams,
  cookies: Cookies,
): Promise<string> {
  const flow = await takeFlow(deps, connectionId, cookies);
  const place = flow?.isForApps ? flow : { to: "" };
  if (flow?.state !== parameters.get("state") || !flow) return nextPage(deps, place, { error: "expired" });
  const connection = await findById(deps, connectionId);
  const isMeant = connection?.version === flow.version && (flow.traceId !== null || isOpen(connection));
  if (!connection || !isMeant) return nextPage(deps, place, { error: "expired" });
  const outcome = await outcomeOf(deps, connection, flow, parameters);
  return flow.traceId === null
    ? goOn(deps, connection, flow, outcome, cookies)
    : showTest(deps, connection, flow.traceId, outcome);
}

interface Outcome {
  /** Null: the provider's word was not verified. */
  claims: IdpClaims | null;
  result: SignedOn | SignOnRefused;
}

async function outcomeOf(
  deps: Deps,
  connection: ConnectionRow,
  flow: SignOnFlow,
  parameters: URLSearchParams,
): Promise<Outcome> {
  let claims: IdpClaims | null = null;
  try {
    claims = await claimsOf(deps, connection, flow, parameters, (signed) => {
      claims = signed;
    });
    const result = signedOn(deps, connection, flow, claims);
    await checkHostedDomain(deps, connection, result);
    return { claims, result };
  } catch (error) {
    if (error instanceof SignOnRefused) return { claims, result: error };
    throw error;
  }
}

/** The verified claims, with those of userinfo. `onSigned` gets those that are signed before they are judged. */
async function claimsOf(
  deps: Deps,
  connection: ConnectionRow,
  { state, nonce, verifier, isStepUp }: SignOnFlow,
  parameters: URLSearchParams,
  onSigned: (claims: IdpClaims) => void,
): Promise<IdpClaims> {
  const party = partyOf(deps, connection);
  const { provider, clientId } = party;
  const answer = readAnswer(party, parameters, state);
  const { idToken, accessToken } = await redeem(deps, party, await proofOf(deps, connection), { answer, verifier });
  const claims = await verifiedClaims(deps, provider.jwksUri, idToken);
  onSigned(claims);
  const session = isStepUp ? freshly(connection.settings.session) : connection.settings.session;
  checkClaims(claims, { issuer: provider.issuer, clientId, nonce, session }, deps.now());
  if (accessToken === null || provider.userinfoEndpoint === null || !lacksClaims(claims, connection.settings)) {
    return claims;
  }
  const more = await readUserinfo(deps, party, accessToken, String(claims["sub"]));
  return { ...more, ...claims };
}

/** The provider must have asked the person just now, and say so. */
const STEP_UP_SECONDS = 120;

const freshly = (session: SignOnSessionSettings): SignOnSessionSettings => ({
  ...session,
  maxAgeSeconds: Math.min(session.maxAgeSeconds ?? STEP_UP_SECONDS, STEP_UP_SECONDS),
});

function partyOf(deps: Deps, { id, settings, document }: ConnectionRow): ConnectionParty {
  const { clientId } = settings.oidc;
  if (!document || clientId === null) throw new SignOnRefused("start", "discovery_failed", { why: "it has none" });
  return { provider: document, clientId, redirectUri: redirectUriOf(deps, id) };
}

function signedOn(
  deps: Deps,
  { id, tenantId, generation, version, settings }: ConnectionRow,
  flow: SignOnFlow,
  claims: IdpClaims,
): SignedOn {
  return {
    connectionId: id,
    tenantId,
    generation,
    version,
    ...personOf(claims, settings),
    endsAt: deps.now() + settings.session.hours * HOUR_MS,
    invitationHash: flow.invitationHash,
  };
}

/** Everybody has an account at Google: only those of the tenant's own domain count. Throws SignOnRefused. */
async function checkHostedDomain(
  deps: Deps,
  { tenantId, settings }: ConnectionRow,
  { hostedDomain }: SignedOn,
): Promise<void> {
  if (settings.oidc.issuer !== GOOGLE_ISSUER) return;
  if (hostedDomain !== null && (await isProvedDomain(deps, tenantId, hostedDomain))) return;
  throw new SignOnRefused("person", "hd", { actual: hostedDomain ?? "no organisation" });
}

/** What confirms a session: who it is, and nothing that a session could be opened with. */
const proofOfPerson = ({ connectionId, generation, version, subject }: SignedOn): Omit<SignOnProof, "stateId"> => ({
  connectionId,
  generation,
  version,
  subject,
});

/** Keeps the result in the browser, for the exchange or the step-up. */
async function goOn(
  deps: Deps,
  { id: connectionId, version }: ConnectionRow,
  flow: SignOnFlow,
  { claims, result }: Outcome,
  cookies: Cookies,
): Promise<string> {
  if (result instanceof SignOnRefused) {
    const trace = await recordRefusal(deps, { connectionId, version }, result, claims);
    return nextPage(deps, flow, { error: "sign_on_refused", trace });
  }
  const { code, sealed, expiresAt } = flow.isStepUp
    ? await sealResult(deps, "confirmed by sign-on", proofOfPerson(result), flow.stateId)
    : await sealResult(deps, "signed on", result, flow.stateId);
  cookies.set(RESULT_COOKIE, sealed, expiresAt);
  return nextPage(deps, flow, { code, purpose: flow.isStepUp ? "step-up" : "" });
}

/** Ends a test on the page of its trace. It opens no session and writes no account. */
async function showTest(
  deps: Deps,
  { id: connectionId, version }: ConnectionRow,
  traceId: string,
  { claims, result }: Outcome,
): Promise<string> {
  const ending = result instanceof SignOnRefused ? { refused: result, would: null } : await judgeTest(deps, result);
  const isOfSetup = await endTest(deps, { connectionId, version }, traceId, { ...ending, claims });
  const base = deps.config.publicUrl ?? deps.config.tokenIssuer;
  return `${base}${isOfSetup ? SETUP_PATH : CONSOLE_PATH}/connections/${connectionId}/traces/${traceId}`;
}
