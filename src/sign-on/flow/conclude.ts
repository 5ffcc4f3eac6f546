/** How a sign-on or a test ends, once the provider's answer was judged: where the browser goes on. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { CONSOLE_PATH, SETUP_PATH } from "../../base/paths";
import { RESULT_COOKIE } from "../../identity/providers/providers";
import { sealResult } from "../../identity/providers/sign-in-result";
import { nextPage } from "../../identity/sign-in/providers/redirects";
import type { SignOnProof } from "../../identity/step-up/store";
import { type ConnectionRow, isOpen } from "../connections/store";
import type { IdpClaims } from "../oidc/id-token";
import { type RefusalReason, SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import { endTest, recordRefusal } from "../traces/record";
import { findById } from "./connection-store";
import type { SignOnFlow } from "./flow";
import { judgeTest } from "./judge-test";

/** What came of an answer. */
export interface FlowOutcome {
  /** Null: the provider's word was not verified. */
  claims: IdpClaims | null;
  result: SignedOn | SignOnRefused;
  /** What the trace of a good test says all the same. */
  warning?: RefusalReason | undefined;
}

/** The connection of a flow, as it was when the flow began; null for one that has changed, or that is not open. */
export async function connectionOfFlow(deps: Deps, flow: SignOnFlow): Promise<ConnectionRow | null> {
  const connection = await findById(deps, flow.connectionId);
  const isMeant = connection?.version === flow.version && (flow.traceId !== null || isOpen(connection));
  return connection && isMeant ? connection : null;
}

/** Returns the URL to which the browser goes on. */
export const conclude = (
  deps: Deps,
  connection: ConnectionRow,
  flow: SignOnFlow,
  outcome: FlowOutcome,
  cookies: Cookies,
): Promise<string> =>
  flow.traceId === null
    ? goOn(deps, connection, flow, outcome, cookies)
    : showTest(deps, connection, flow.traceId, outcome);

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
  { claims, result }: FlowOutcome,
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
  { claims, result, warning }: FlowOutcome,
): Promise<string> {
  const ending = result instanceof SignOnRefused ? { refused: result, would: null } : await judgeTest(deps, result);
  const isOfSetup = await endTest(deps, { connectionId, version }, traceId, { ...ending, claims, warning });
  const base = deps.config.publicUrl ?? deps.config.tokenIssuer;
  return `${base}${isOfSetup ? SETUP_PATH : CONSOLE_PATH}/connections/${connectionId}/traces/${traceId}`;
}
