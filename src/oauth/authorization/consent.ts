/** A person allows an app what it asks for, or does not. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { operation } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import { OAuthError } from "../errors";
import { withError } from "./answer";
import { type AppRequest, addressWithCode, judge } from "./authorize";
import { seal, unseal } from "./sealed";
import { storeConsent } from "./store";

const LIFETIME_MS = 30 * MINUTE_MS;

/** What the form of a page asks about: this request, of this session, in this tenant. */
interface Question {
  params: string;
  at: number;
  sessionId: string;
  tenantId: string;
  expiresAt: number;
}

export const sealQuestion = (
  deps: Deps,
  { params, at }: AppRequest,
  { sessionId }: SessionPrincipal,
  tenantId: string,
): Promise<string> => {
  const question: Question = {
    params: params.toString(),
    at,
    sessionId,
    tenantId,
    expiresAt: deps.now() + LIFETIME_MS,
  };
  return seal(deps, "consent", question);
};

/** The sealed question, and what the person answers. */
const consentAnswer = z.object({ ask: z.string().min(1).max(20_000), answer: z.enum(["allow", "deny"]) });

/** Returns the address of the app. Throws FORBIDDEN for the question of another session. */
async function answerQuestion(
  deps: Deps,
  session: SessionPrincipal,
  { ask, answer }: z.output<typeof consentAnswer>,
): Promise<string> {
  const question = await unseal<Question>(deps, "consent", ask);
  if (question?.sessionId !== session.sessionId) {
    throw new AppError("FORBIDDEN", { message: "This page is of another sign-in. Go back to the app and try again." });
  }
  const { tenantId } = question;
  const outcome = await judge(deps, { params: new URLSearchParams(question.params), at: question.at }, session);
  if ("refusedAt" in outcome) return outcome.refusedAt;
  const { request, decision } = outcome;
  if (!("membership" in decision) || decision.membership.tenantId !== tenantId) {
    throw new AppError("CONFLICT", { message: "Something has changed meanwhile. Go back to the app and try again." });
  }
  if (answer === "deny") {
    const refusal = new OAuthError("access_denied", "The person did not allow it.");
    return withError(request, deps.config.tokenIssuer, refusal);
  }
  if (decision.kind === "consent") {
    const { clientId, scopes } = request;
    await storeConsent(deps, session, { clientId, tenantId, scopes }, deps.now());
  }
  return addressWithCode(deps, request, session, tenantId);
}

export const consenting = operation({
  limit: { rule: "consent", per: "user" },
  schema: consentAnswer,
  verb: ({ deps, session, input }) => answerQuestion(deps, session, input),
});
