/** The provider's answer: who has signed on, verified. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { GOOGLE_ISSUER } from "../../base/schemas/connection-settings";
import { nextPage } from "../../identity/sign-in/providers/redirects";
import { proofOf } from "../connections/keys";
import type { ConnectionRow } from "../connections/store";
import { redirectUriOf } from "../connections/view";
import { checkClaims, type IdpClaims, verifiedClaims } from "../oidc/id-token";
import { lacksClaims, personOf } from "../oidc/person";
import { type ConnectionParty, readAnswer, readUserinfo, redeem } from "../oidc/tokens";
import { SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import { conclude, connectionOfFlow, type FlowOutcome } from "./conclude";
import { isProvedDomain } from "./connection-store";
import { type SignOnFlow, takeFlow } from "./flow";
import { sessionAsked, signedOnBy } from "./word";

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
  const connection = await connectionOfFlow(deps, flow);
  if (connection?.kind !== "oidc") return nextPage(deps, place, { error: "expired" });
  return conclude(deps, connection, flow, await outcomeOf(deps, connection, flow, parameters), cookies);
}

async function outcomeOf(
  deps: Deps,
  connection: ConnectionRow,
  flow: SignOnFlow,
  parameters: URLSearchParams,
): Promise<FlowOutcome> {
  let claims: IdpClaims | null = null;
  try {
    claims = await claimsOf(deps, connection, flow, parameters, (signed) => {
      claims = signed;
    });
    const result = signedOnBy(deps, connection, flow, personOf(claims, connection.settings));
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
  const session = sessionAsked(connection.settings.session, isStepUp);
  checkClaims(claims, { issuer: provider.issuer, clientId, nonce, session }, deps.now());
  if (accessToken === null || provider.userinfoEndpoint === null || !lacksClaims(claims, connection.settings)) {
    return claims;
  }
  const more = await readUserinfo(deps, party, accessToken, String(claims["sub"]));
  return { ...more, ...claims };
}

function partyOf(deps: Deps, { id, settings, document }: ConnectionRow): ConnectionParty {
  const { clientId } = settings.oidc;
  if (!document || clientId === null) throw new SignOnRefused("start", "discovery_failed", { why: "it has none" });
  return { provider: document, clientId, redirectUri: redirectUriOf(deps, id) };
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
