/** A person allows an app what it asks for, or does not. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { capReached } from "../../base/limits/caps";
import type { Access } from "../../base/operation";
import { type RequestOrigin, userActor } from "../../base/schemas/actor";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { MINUTE_MS } from "../../base/time";
import type { ClientRow } from "../clients/store";
import { shownAt } from "../clients/unlisted/registration";
import { resolveClient } from "../clients/unlisted/resolve";
import { storeUnlisted } from "../clients/unlisted/unlisted-store";
import { OAuthError } from "../errors";
import { askedIdentifiers } from "../resources/asked";
import { type AppAnswer, withError } from "./answer";
import { answerWithCode, judge, type KeptRequest, keptRequest } from "./authorize";
import type { AppRequest } from "./request";
import { seal, unseal } from "./sealed";
import { type ClientStanding, recordingDevice, storingConsent, type WantedClient } from "./store";

const LIFETIME_MS = 30 * MINUTE_MS;

/** What the form of a page asks about: this request, of this session, in this tenant. */
export interface Question extends KeptRequest {
  clientId: string;
  /** Of an unlisted client: the hash of what the page shows it as; missing for a registered one. */
  documentHash?: string;
  scopes: readonly string[];
  userId: string;
  email: string;
  sessionId: string;
  tenantId: string;
  expiresAt: number;
}

export const sealQuestion = (
  deps: Deps,
  asked: AppRequest,
  { id: clientId, documentHash }: ClientRow,
  { scopes }: { scopes: readonly string[] },
  { userId, sessionId, account }: SessionPrincipal,
  tenantId: string,
): Promise<string> => {
  const question: Question = {
    ...keptRequest(asked),
    clientId,
    ...(documentHash === null ? {} : { documentHash }),
    scopes,
    userId,
    email: account.email,
    sessionId,
    tenantId,
    expiresAt: deps.now() + LIFETIME_MS,
  };
  return seal(deps, "consent", question);
};

/** The sealed question, and what the person answers. */
export const consentAnswer = z.object({ ask: z.string().min(1).max(20_000), answer: z.enum(["allow", "deny"]) });

/** Who may answer: whoever has the session of the question, which is read with the write of the answer. */
export const ANSWERING = {
  callers: "anybody",
  limit: { rule: "authorize", per: "IP address" },
} as const satisfies Access;

/** Throws FORBIDDEN for a question that we have not asked. */
export async function openQuestion(deps: Deps, ask: string): Promise<Question> {
  const question = await unseal<Question>(deps, "consent", ask);
  if (!question) throw ofAnother();
  return question;
}

/** The 403 for the question of another session. */
export const ofAnother = () =>
  new AppError("FORBIDDEN", { message: "This page is of another sign-in. Go back to the app and try again." });

/**
 * The statements that store what the person allows, if they still may, and what an unlisted client is: nothing is
 * stored of one before. Throws CONFLICT if it is another one than the page has shown.
 */
export async function storingAnswer(deps: Deps, question: Question, origin: RequestOrigin) {
  const { documentHash = null } = question;
  const params = new URLSearchParams(question.params);
  const named = await resolveClient(deps, params.get("client_id") ?? "", origin.ip ?? "");
  const unlisted = named?.unlisted ? shownAt(named.unlisted, params.get("redirect_uri") ?? "") : null;
  if ((unlisted?.documentHash ?? null) !== documentHash) throw changed();
  const actor = userActor({ ...question }, origin);
  return {
    ...(unlisted ? { unlisted: storeUnlisted(unlisted, question, deps.now()) } : {}),
    // Whoever has allowed all of it before, or is not asked, only lets the device in.
    ...(question.scopes.length > 0
      ? storingConsent({ ...question, documentHash }, actor, { most: deps.config.caps.apps, nowMs: deps.now() })
      : {}),
    ...(question.device ? { approved: recordingDevice(question, actor, deps.now()) } : {}),
  };
}

/** The APIs that the request of a question names. */
export const wantedBy = (deps: Deps, { clientId, params }: Question): WantedClient => ({
  clientId,
  identifiers: askedIdentifiers(deps, new URLSearchParams(params).getAll("resource")),
});

const changed = () =>
  new AppError("CONFLICT", { message: "Something has changed meanwhile. Go back to the app and try again." });

/** Returns what the app is sent, once the answer is stored. `standing` was read with it. */
export async function answerApp(
  deps: Deps,
  { params, at, stayedIn, isPushed, jkt, device, tenantId, scopes }: Question,
  session: SessionPrincipal,
  standing: ClientStanding,
  { isAllowed, clientIp }: { isAllowed: boolean; clientIp: string },
): Promise<{ client: ClientRow; answer: AppAnswer }> {
  const asked = { params: new URLSearchParams(params), at, stayedIn, isPushed, jkt, device, tenantId };
  const outcome = await judge(deps, asked, clientIp, async () => ({ ...standing, session }));
  const { client } = outcome;
  if ("refusal" in outcome) return { client, answer: outcome.refusal };
  const { request, decision } = outcome;
  if (!("membership" in decision) || decision.membership.tenantId !== tenantId) {
    throw changed();
  }
  if (isAllowed) {
    const allowed = JSON.parse(decision.membership.consented ?? "[]") as string[];
    if (scopes.some((scope) => !allowed.includes(scope))) throw capReached("apps", deps.config.caps);
    return { client, answer: await answerWithCode(deps, request, session, tenantId) };
  }
  const refusal = new OAuthError("access_denied", "The person did not allow it.");
  return { client, answer: withError(request, deps.config.tokenIssuer, refusal) };
}
