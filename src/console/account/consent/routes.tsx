/** `/account/consent`: a person allows an app what it asks for. The answer is stored as the session is read. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { performing, requires } from "../../../base/http/operation";
import { originOf } from "../../../base/http/origin";
import { consume } from "../../../base/http/rate-limit";
import {
  ANSWERING,
  answerApp,
  consentAnswer,
  ofAnother,
  openQuestion,
  sealQuestion,
  storingAnswer,
  wantedBy,
} from "../../../oauth/authorization/consent";
import { selectStanding, standingOf } from "../../../oauth/authorization/store";
import { isOnDevice } from "../../../oauth/clients/redirect-urls";
import { Say } from "../../components/mount";
import { parse } from "../../failure";
import { afterForm } from "../../http/app-answer";
import { decided, VISIT } from "../../http/app-visit";
import { getConsoleCookie } from "../../http/cookies";
import { readForm } from "../../http/form";
import { page, redirectTo } from "../../http/page";
import { Pages } from "../../http/pages";
import { goingOn } from "../../http/paths";
import { findCurrentUserWith } from "../../http/session";
import { Consent } from "./page";

/** The page that asks; whoever need not be asked goes on. */
async function consentPage(c: Context<AppEnv>) {
  const { sealed, asked, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "consent") return c.redirect(goingOn(sealed), 303);
  const { client, request, decision } = outcome;
  const { tenantId, tenantName } = decision.membership;
  const scopes = decision.scopes.length === 0 ? [] : request.scopes;
  const view = {
    client,
    host: isOnDevice(request.redirectUri) ? null : new URL(request.redirectUri).host,
    device: request.device,
    scopes: decision.scopes,
    resources: request.resources,
    email: user.email,
    tenantName,
    ask: await sealQuestion(c.get("deps"), asked, client, { scopes }, user.principal, tenantId),
    another,
  };
  return page(
    c,
    { title: <Say of="consent.title" values={{ app: client.host ?? client.name }} /> },
    <Consent {...view} />,
  );
}

async function answered(c: Context<AppEnv>) {
  if (getConsoleCookie(c, "session") === undefined) return redirectTo(c, "/sign-in");
  const deps = c.get("deps");
  const { ask, answer } = parse(consentAnswer, (await readForm(c)).texts("ask", "answer"));
  const question = await openQuestion(deps, ask);
  await consume(c, "consent", question.userId);
  const isAllowed = answer === "allow";
  const storing = isAllowed ? await storingAnswer(deps, question, originOf(c)) : {};
  const found = await findCurrentUserWith(c, (claims) => ({
    ...(claims.sessionId === question.sessionId ? storing : {}),
    ...selectStanding(deps, wantedBy(deps, question), claims),
  }));
  const session = found?.user?.principal;
  if (!session) return redirectTo(c, "/sign-in");
  if (session.sessionId !== question.sessionId) throw ofAnother();
  const { client, answer: sent } = await answerApp(deps, question, session, standingOf(found.also), {
    isAllowed,
    clientIp: c.get("clientIp"),
  });
  return afterForm(c, client, sent);
}

export const consentPages = new Pages()
  .get("/", requires(VISIT), consentPage)
  .post("/", requires(ANSWERING), performing(answered, {})).router;
