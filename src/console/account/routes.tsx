/** `/oauth/authorize` and `/account`: the pages on which people sign in to apps. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError, notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { isForm } from "../../base/media-type";
import { ACCOUNT_PATH } from "../../base/paths";
import { type AppRequest, addressWithCode, judge, openRequest, sealRequest } from "../../oauth/authorization/authorize";
import { consenting, sealQuestion } from "../../oauth/authorization/consent";
import { isOnDevice } from "../../oauth/clients/redirect-urls";
import type { ClientRow } from "../../oauth/clients/store";
import { mailCodePages } from "../email-codes/routes";
import { goOn } from "../http/go-on";
import { mountedAt } from "../http/mount";
import { ownFormOnly } from "../http/own-form";
import { errorPage, page, redirectTo } from "../http/page";
import { contentSecurityPolicy, noStore } from "../http/page-headers";
import { Pages } from "../http/pages";
import { goingOn } from "../http/paths";
import { findCurrentUser } from "../http/session";
import { accountPages } from "../sign-in/routes";
import { Consent, ToDevice } from "./consent";

const AUTHORIZE = { callers: "anybody", limit: { rule: "authorize", per: "IP address" }, bodyKiB: 16 } as const;

const sessionOf = async (c: Context<AppEnv>) => (await findCurrentUser(c))?.principal ?? null;

/** Redirects to an app on the web. A program on the device gets nothing without a click. */
function toApp(c: Context<AppEnv>, client: ClientRow, address: string) {
  if (!isOnDevice(address)) return c.redirect(address, 303);
  return page(c, { title: "Continue" }, <ToDevice client={client} address={address} />);
}

async function authorize(c: Context<AppEnv>, asked: AppRequest): Promise<Response> {
  const deps = c.get("deps");
  const session = await sessionOf(c);
  const outcome = await judge(deps, asked, session);
  if ("refusedAt" in outcome) return toApp(c, outcome.client, outcome.refusedAt);
  const { client, request, decision } = outcome;
  if (decision.kind === "code" && session) {
    return toApp(c, client, await addressWithCode(deps, request, session, decision.membership.tenantId));
  }
  return redirectTo(c, `/${PAGES[decision.kind]}?r=${await sealRequest(deps, asked)}`);
}

const PAGES = { "sign-in": "sign-in", "sign-up": "register", consent: "consent", code: "sign-in" } as const;

/** Under `/oauth`. */
export const authorizeRoutes = new Hono<AppEnv>()
  .use("/authorize", contentSecurityPolicy)
  .use("/authorize", noStore)
  .use("/authorize", mountedAt(ACCOUNT_PATH))
  .use("/authorize", limitBody)
  .get("/authorize", requires(AUTHORIZE), async (c) => {
    const params = new URL(c.req.url).searchParams;
    const sealed = params.get("r");
    const now = c.get("deps").now();
    return authorize(c, sealed === null ? { params, at: now } : await openRequest(c.get("deps"), sealed));
  })
  // The cookie of the session does not come with a form of another site; it comes with the redirect.
  .post("/authorize", requires(AUTHORIZE), async (c) => {
    if (!isForm(c.req.header("content-type"))) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    const asked = { params: new URLSearchParams(await c.req.text()), at: c.get("deps").now() };
    await judge(c.get("deps"), asked, null);
    return c.redirect(goingOn(await sealRequest(c.get("deps"), asked)), 303);
  })
  .onError((error, c) => errorPage(c, error));

/** The page that asks; whoever need not be asked goes on. */
async function consentPage(c: Context<AppEnv>) {
  const deps = c.get("deps");
  const sealed = c.req.query("r") ?? "";
  const asked = await openRequest(deps, sealed);
  const user = await findCurrentUser(c);
  const outcome = await judge(deps, asked, user?.principal ?? null);
  if (!user || "refusedAt" in outcome || outcome.decision.kind !== "consent") return c.redirect(goingOn(sealed), 303);
  const { client, request, decision } = outcome;
  const { tenantId, tenantName } = decision.membership;
  const view = {
    client,
    host: isOnDevice(request.redirectUri) ? "an app on this device" : new URL(request.redirectUri).host,
    scopes: decision.scopes,
    email: user.email,
    tenantName,
    ask: await sealQuestion(deps, asked, user.principal, tenantId),
    another: `${ACCOUNT_PATH}/sign-in?r=${sealed}`,
  };
  return page(c, { title: `Sign in to ${client.name}` }, <Consent {...view} />);
}

/** Notes who is signed in; whoever is not signs in first. */
const whoAnswers = createMiddleware<AppEnv>(async (c, next) => {
  const session = await sessionOf(c);
  if (!session) return redirectTo(c, "/sign-in");
  c.set("principal", session);
  await next();
});

const consentPages = new Pages().get("/", requires(AUTHORIZE), consentPage).form("/", consenting, {
  first: whoAnswers,
  values: (sent) => ({ ask: sent.text("ask"), answer: sent.text("answer") }),
  done: (c, address) => goOn(c, address),
}).router;

/** Under `/account`. */
export const accountRoutes = new Hono<AppEnv>()
  .use(mountedAt(ACCOUNT_PATH))
  .use(contentSecurityPolicy)
  .use(noStore)
  .use(ownFormOnly)
  .use(limitBody)
  .get("/", (c) => redirectTo(c, "/sign-in"))
  .route("/consent", consentPages)
  .route("/", accountPages)
  .route("/sign-in/mail", mailCodePages)
  .all("*", () => {
    throw notFound("Page");
  })
  .onError((error, c) => errorPage(c, error));
