/** `/oauth/authorize` and `/account`: the pages on which people sign in to apps. */
import { type Context, Hono } from "hono";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { isForm } from "../../base/media-type";
import { ACCOUNT_PATH } from "../../base/paths";
import { answerWithCode, judge, openRequest, sealRequest } from "../../oauth/authorization/authorize";
import { openPushed } from "../../oauth/authorization/pushed";
import type { AppRequest } from "../../oauth/authorization/request";
import { readStanding } from "../../oauth/authorization/store";
import { withoutEmpty } from "../../oauth/parameters";
import { mailCodePages } from "../email-codes/routes";
import { toApp } from "../http/app-answer";
import { showApp } from "../http/app-of-page";
import { widenPolicy } from "../http/app-policy";
import { judgeVisit, VISIT } from "../http/app-visit";
import { mountedAt } from "../http/mount";
import { ownFormOnly } from "../http/own-form";
import { errorPage, redirectTo } from "../http/page";
import { contentSecurityPolicy, noStore } from "../http/page-headers";
import { goingOn } from "../http/paths";
import { requireUser } from "../http/session";
import { confirmEmailPages } from "../my-security/profile/routes";
import { notMePages } from "../not-me/routes";
import { oauthPages, providerStarts } from "../providers/routes";
import { registrationPages } from "../registration/routes";
import { removeTwoFactorPages } from "../remove-two-factor/routes";
import { accountPages } from "../sign-in/routes";
import { addressPages, linkPages } from "../sign-on/routes";
import { appsPages } from "./apps/routes";
import { accountChoice, tenantChoice } from "./choices/routes";
import { confirmationPages } from "./confirm/routes";
import { consentPages } from "./consent/routes";
import { devicePages } from "./device/routes";
import { factorPages } from "./factor/routes";
import { firstPages } from "./first/routes";
import { logoutRoutes, signOutPages } from "./sign-out/routes";
import { unverifiedPages } from "./unverified/routes";

const AUTHORIZE = { ...VISIT, bodyKiB: 16 } as const;

const PAGES = {
  "sign-in": "sign-in",
  "sign-up": "sign-up",
  account: "select-account",
  tenant: "tenant",
  "sign-on": "sign-on/required",
  unverified: "verify-email",
  confirm: "confirm",
  factor: "second-factor",
  consent: "consent",
  code: "sign-in",
} as const;

/** What an app asks for: in the parameters, or in a request that they name. */
const askedIn = async (deps: Deps, params: URLSearchParams): Promise<AppRequest> =>
  (await openPushed(deps, params)) ?? { params: withoutEmpty(params), at: deps.now() };

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
    const deps = c.get("deps");
    return authorize(c, sealed === null ? await askedIn(deps, params) : await openRequest(deps, sealed));
  })
  // The cookie of the session does not come with a form of another site; it comes with the redirect.
  .post("/authorize", requires(AUTHORIZE), async (c) => {
    if (!isForm(c.req.header("content-type"))) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    const deps = c.get("deps");
    const asked = await askedIn(deps, new URLSearchParams(await c.req.text()));
    await judge(deps, asked, c.get("clientIp"), async (wanted) => ({
      ...(await readStanding(deps, wanted)),
      session: null,
    }));
    return c.redirect(goingOn(await sealRequest(deps, asked)), 303);
  })
  .route("/", logoutRoutes)
  .onError((error, c) => errorPage(c, error));

/** Under `/account`. */
export const accountRoutes = new Hono<AppEnv>()
  .use(mountedAt(ACCOUNT_PATH))
  .use(widenPolicy)
  .use(contentSecurityPolicy)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .use(showApp)
  .route("/", firstPages)
  .route("/consent", consentPages)
  .route("/device", devicePages)
  .route("/select-account", accountChoice)
  .route("/tenant", tenantChoice)
  .route("/sign-out", signOutPages)
  .use("/apps/*", requireUser)
  .route("/apps", appsPages)
  .use("/confirm/*", requireUser)
  .route("/confirm", confirmationPages)
  .use("/second-factor/*", requireUser)
  .route("/second-factor", factorPages)
  .route("/oauth", oauthPages)
  .route("/oauth", providerStarts)
  .route("/verify-email", unverifiedPages)
  .route("/sign-up", registrationPages)
  .route("/not-me", notMePages)
  .route("/remove-two-factor", removeTwoFactorPages)
  .route("/confirm-email", confirmEmailPages)
  .route("/", accountPages)
  .route("/sign-in/mail", mailCodePages)
  .route("/sign-in", addressPages)
  .route("/sign-on", linkPages)
  .all("*", () => {
    throw notFound("Page");
  })
  .onError((error, c) => errorPage(c, error));
