/** The second half of a response by SAML: it counts in the browser whose request it answers. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { nextPage } from "../../identity/sign-in/providers/redirects";
import type { ConnectionRow } from "../connections/store";
import { conclude, connectionOfFlow, type FlowOutcome } from "../flow/conclude";
import { type SignOnFlow, takeFlow } from "../flow/flow";
import { startSignOn } from "../flow/start";
import { sessionAsked, signedOnBy } from "../flow/word";
import { checkStrength } from "../oidc/id-token";
import { SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import { type AssertedPerson, openAnswer, type SamlAnswer } from "./answer";

/** Returns the URL to which the browser goes on. */
export async function finishSaml(
  deps: Deps,
  connectionId: string,
  sealed: string,
  clientIp: string,
  cookies: Cookies,
): Promise<string> {
  const flow = await takeFlow(deps, connectionId, cookies);
  const answer = await openAnswer(deps, sealed);
  const place = flow?.isForApps ? flow : { to: "" };
  if (answer?.connectionId !== connectionId) return nextPage(deps, place, { error: "expired" });
  if (isOfTile(answer, flow)) {
    return startSignOn(deps, { connection: connectionId, to: answer.to, isFromTile: true }, clientIp, cookies);
  }
  const connection = flow && isOfFlow(answer, flow) ? await connectionOfFlow(deps, flow) : null;
  if (!flow || connection?.version !== answer.version) return nextPage(deps, place, { error: "expired" });
  return conclude(deps, connection, flow, outcomeOf(deps, connection, flow, answer), cookies);
}

/**
 * Whether a good response answers no request, so that a sign-on begins. A provider that never names the request would
 * go round in a circle, and what a test asks for must be answered.
 */
const isOfTile = ({ requestId, refused }: SamlAnswer, flow: SignOnFlow | null): boolean =>
  requestId === null && refused?.reason === "in_response_to" && flow?.traceId == null && flow?.isFromTile !== true;

/** One that cannot be read is taken for the answer to the browser's own request, so that its trace says why. */
const isOfFlow = ({ requestId, refused }: SamlAnswer, { state }: SignOnFlow): boolean =>
  requestId === null ? refused !== null : requestId === state;

function outcomeOf(
  deps: Deps,
  connection: ConnectionRow,
  flow: SignOnFlow,
  { asserted, refused, claims }: SamlAnswer,
): FlowOutcome {
  try {
    if (!asserted) throw new SignOnRefused(refused?.step ?? "answer", refused?.reason ?? "xml", refused?.facts);
    const warning = asserted.isAddress ? { warning: "address_as_subject" as const } : {};
    return { claims, result: resultOf(deps, connection, flow, asserted), ...warning };
  } catch (error) {
    if (error instanceof SignOnRefused) return { claims, result: error };
    throw error;
  }
}

/** Throws SignOnRefused for somebody who has not signed in there as the connection asks. */
function resultOf(
  deps: Deps,
  connection: ConnectionRow,
  flow: SignOnFlow,
  { person, endsAt, assertionId }: AssertedPerson,
): SignedOn {
  const { acr, amr, authenticatedAt } = person;
  const said = {
    acr: acr ?? undefined,
    amr,
    auth_time: authenticatedAt === null ? undefined : authenticatedAt / 1000,
  };
  checkStrength(said, sessionAsked(connection.settings.session, flow.isStepUp), deps.now() / 1000, "response");
  const signedOn = signedOnBy(deps, connection, flow, person);
  return { ...signedOn, endsAt: Math.min(signedOn.endsAt, endsAt ?? signedOn.endsAt), assertionId };
}
