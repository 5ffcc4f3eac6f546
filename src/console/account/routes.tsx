/** `/oauth/authorize` and `/account`: the pages on which people sign in to apps. */
import { type Context, Hono } from "hono";
import { AppError, notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { isForm } from "../../base/media-type";
import { ACCOUNT_PATH } from "../../base/paths";
import { answerWithCode, judge, openRequest, sealRequest } from "../../oauth/authorization/authorize";
import { consenting, sealQuestion } from "../../oauth/authorization/consent";
import type { AppRequest } from "../../oauth/authorization/request";
import { readStanding } from "../../oauth/authorization/store";
import { isOnDevice } from "../../oauth/clients/redirect-urls";
import { mailCodePages } from "../email-codes/routes";
import { afterForm, toApp } from "../http/app-answer";
import { widenPolicy } from "../http/app-policy";
import { decided, judgeVisit, whoAnswers } from "../http/app-visit";
import { mountedAt } from "../http/mount";
import { ownFormOnly } from "../http/own-form";
import { errorPage, page, redirectTo } from "../http/page";
import { contentSecurityPolicy, noStore } from "../http/page-headers";
import { Pages } from "../http/pages";
import { goingOn } from "../http/paths";
import { accountPages } from "../sign-in/routes";
import { accountChoice, tenantChoice } from "./choices/routes";
import { Consent } from "./consent";
import { logoutRoutes, signOutPages } from "./sign-out/routes";

const AUTHORIZE = { callers: "anybody", limit: { rule: "authorize", per: "IP address" }, bodyKiB: 16 } as const;

const PAGES = {
  "sign-in": "sign-in",
  "sign-up": "register",
  account: "select-account",
  tenant: "tenant",
  consent: "consent",
  code: "sign-in",
} as const;

async function authorize(c: Context<AppEnv>, asked: AppRequest): Promise<Response> {
  const deps = c.get("deps");
  const { user, outcome } = await judgeVisit(c, asked);
  if ("refusal" in outcome) return toApp(c, outcome.client, outcome.refusal);
  const { client, request, decision } = outcome;
  if (decision.kind === "code" && user) {
    return toApp(c, client, await answerWithCode(deps, request, user.principal, decision.membership.tenantId));
  }
  return redirectTo(c, `/${PAGES[decision.kind]}?r=${await sealRequest(deps, asked)}`);
}

/** Under `/oauth`. */
export const authorizeRoutes = new Hono<AppEnv>();
for (const path of ["/authorize", "/logout"]) {
  authorizeRoutes.use(path, mountedAt(ACCOUNT_PATH), widenPolicy, contentSecurityPolicy, noStore, limitBody);
}
authorizeRoutes
  .get("/authorize", requires(AUTHORIZE), async (c) => {
    const params = new URL(c.req.url).searchParams;
    const sealed = params.get("r");
    const now = c.get("deps").now();
    return authorize(c, sealed === null ? { params, at: now } : await openRequest(c.get("deps"), sealed));
  })
  // The cookie of the session does not come with a form of another site; it comes with the redirect.
  .post("/authorize", requires(AUTHORIZE), async (c) => {
    if (!isForm(c.req.header("content-type"))) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    const deps = c.get("deps");
    const asked = { params: new URLSearchParams(await c.req.text()), at: deps.now() };
    await judge(deps, asked, async (id) => ({ ...(await readStanding(deps, id, null)), session: null }));
    return c.redirect(goingOn(await sealRequest(deps, asked)), 303);
  })
  .route("/", logoutRoutes)
  .onError((error, c) => errorPage(c, error));

/** The page that asks; whoever need not be asked goes on. */
async function consentPage(c: Context<AppEnv>) {
  const { sealed, asked, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "consent") return c.redirect(goingOn(sealed), 303);
  const { client, request, decision } = outcome;
  const { tenantId, tenantName } = decision.membership;
  const { logoUrl } = client.settings;
  if (logoUrl !== null) c.set("pageUses", { imageOrigin: new URL(logoUrl).origin });
  const view = {
    client,
    host: isOnDevice(request.redirectUri) ? "an app on this device" : new URL(request.redirectUri).host,
    scopes: decision.scopes,
    email: user.email,
    tenantName,
    ask: await sealQuestion(c.get("deps"), asked, user.principal, tenantId),
    another,
  };
  return page(c, { title: `Sign in to ${client.name}` }, <Consent {...view} />);
}

const consentPages = new Pages().get("/", requires(AUTHORIZE), consentPage).form("/", consenting, {
  first: whoAnswers,
  values: (sent) => ({ ask: sent.text("ask"), answer: sent.text("answer") }),
  done: (c, { client, answer }) => afterForm(c, client, answer),
}).router;

/** Under `/account`. */
export const accountRoutes = new Hono<AppEnv>()
  .use(mountedAt(ACCOUNT_PATH))
  .use(widenPolicy)
  .use(contentSecurityPolicy)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .get("/", (c) => redirectTo(c, "/sign-in"))
  .route("/consent", consentPages)
  .route("/select-account", accountChoice)
  .route("/tenant", tenantChoice)
  .route("/sign-out", signOutPages)
  .route("/", accountPages)
  .route("/sign-in/mail", mailCodePages)
  .all("*", () => {
    throw notFound("Page");
  })
  .onError((error, c) => errorPage(c, error));
