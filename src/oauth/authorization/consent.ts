/** A person allows an app what it asks for, or does not. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { operation } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import type { ClientRow } from "../clients/store";
import { OAuthError } from "../errors";
import { type AppAnswer, withError } from "./answer";
import { answerWithCode, judge } from "./authorize";
import type { AppRequest } from "./request";
import { seal, unseal } from "./sealed";
import { readStanding, storeConsent } from "./store";

const LIFETIME_MS = 30 * MINUTE_MS;

/** What the form of a page asks about: this request, of this session, in this tenant. */
interface Question {
  params: string;
  at: number;
  stayedIn?: string | undefined;
  sessionId: string;
  tenantId: string;
  expiresAt: number;
}

export const sealQuestion = (
  deps: Deps,
  { params, at, stayedIn }: AppRequest,
  { sessionId }: SessionPrincipal,
  tenantId: string,
): Promise<string> => {
  const question: Question = {
    params: params.toString(),
    at,
    stayedIn,
    sessionId,
    tenantId,
    expiresAt: deps.now() + LIFETIME_MS,
  };
  return seal(deps, "consent", question);
};

/** The sealed question, and what the person answers. */
const consentAnswer = z.object({ ask: z.string().min(1).max(20_000), answer: z.enum(["allow", "deny"]) });

/** Returns what the app is sent. Throws FORBIDDEN for the question of another session. */
async function answerQuestion(
  deps: Deps,
  session: SessionPrincipal,
  { ask, answer }: z.output<typeof consentAnswer>,
): Promise<{ client: ClientRow; answer: AppAnswer }> {
  const question = await unseal<Question>(deps, "consent", ask);
  if (question?.sessionId !== session.sessionId) {
    throw new AppError("FORBIDDEN", { message: "This page is of another sign-in. Go back to the app and try again." });
  }
  const { params, at, stayedIn, tenantId } = question;
  const asked = { params: new URLSearchParams(params), at, stayedIn, tenantId };
  const outcome = await judge(deps, asked, async (clientId) => ({
    ...(await readStanding(deps, clientId, session)),
    session,
  }));
  const { client } = outcome;
  if ("refusal" in outcome) return { client, answer: outcome.refusal };
  const { request, decision } = outcome;
  if (!("membership" in decision) || decision.membership.tenantId !== tenantId) {
    throw new AppError("CONFLICT", { message: "Something has changed meanwhile. Go back to the app and try again." });
  }
  if (answer === "deny") {
    const refusal = new OAuthError("access_denied", "The person did not allow it.");
    return { client, answer: withError(request, deps.config.tokenIssuer, refusal) };
  }
  if (decision.kind === "consent") {
    const { clientId, scopes } = request;
    await storeConsent(deps, session, { clientId, tenantId, scopes }, deps.now());
  }
  return { client, answer: await answerWithCode(deps, request, session, tenantId) };
}

export const consenting = operation({
  limit: { rule: "consent", per: "user" },
  schema: consentAnswer,
  verb: ({ deps, session, input }) => answerQuestion(deps, session, input),
});
