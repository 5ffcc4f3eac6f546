/** From an address to the provider of its tenant: `/sign-in/address`, `/sign-in/sign-on` and `/account/sign-on`. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { perform, requires } from "../../base/http/operation";
import { signOnRequired } from "../../identity/policy/sign-on-required";
import { discovery } from "../../sign-on/discovery/api";
import { signOn } from "../../sign-on/flow/api";
import { withReturnPath } from "../components/address";
import { Say } from "../components/mount";
import { parse } from "../failure";
import { decided, VISIT } from "../http/app-visit";
import type { Form } from "../http/form";
import { isForApps } from "../http/mount";
import { page, type Refused } from "../http/page";
import { Pages } from "../http/pages";
import { goingOn } from "../http/paths";
import { addressPage, signInPage } from "../sign-in/routes";
import { Away, FollowLink, LinkMailed, SignOnFirst } from "./pages";

/** What the flow keeps: where it goes on or, on the pages for apps, what the app asks for. */
const leaving = ({ email, to, captchaToken }: Typed, c: Context<AppEnv>) => ({
  email,
  captchaToken,
  to: isForApps(c) ? (c.req.query("r") ?? "") : to,
  isForApps: isForApps(c),
});

interface Typed {
  email: string;
  to: string;
  captchaToken: string | undefined;
}

const typed = (sent: Form): Typed => ({
  ...sent.texts("email", "to"),
  captchaToken: sent.optional("captchaToken"),
});

function awayPage(c: Context<AppEnv>, url: string) {
  c.header("Refresh", `0;url=${url}`);
  return page(c, { title: <Say of="signOn.title" /> }, <Away url={url} />);
}

const mailedPage = (c: Context<AppEnv>, to: string, refused?: Refused) =>
  page(c, { title: <Say of="signOn.mailTitle" />, refused }, <LinkMailed startAt={withReturnPath("/sign-in", to)} />);

const linkPage = (c: Context<AppEnv>, token: string, refused?: Refused) =>
  page(c, { title: <Say of="signOn.title" />, refused }, <FollowLink token={token} />);

/** Under `/sign-in`, in the console and for apps. */
export const addressPages = new Pages()
  .form("/address", discovery.leave, {
    values: typed,
    input: leaving,
    done: (c, url, { email, to }) => (url === null ? signInPage(c, email, to) : awayPage(c, url)),
    again: (c, refused, { email, to }) => addressPage(c, email, to, refused),
  })
  .form("/sign-on", discovery.requestLinkOnPage, {
    values: typed,
    input: leaving,
    done: (c, _, { to }) => mailedPage(c, to),
    again: (c, refused, { to }) => mailedPage(c, to, refused),
  }).router;

/** For whoever is signed in, where the tenant in which an app signs people in requires its own sign-on. */
async function requiredPage(c: Context<AppEnv>) {
  const { sealed, user, outcome, another } = await decided(c);
  if (!user || "refusal" in outcome || outcome.decision.kind !== "sign-on") return c.redirect(goingOn(sealed), 303);
  const member = { tenantId: outcome.decision.tenantId, userId: user.principal.userId };
  const { details = [] } = await signOnRequired(c.get("deps"), member);
  return page(c, { title: <Say of="signOn.title" /> }, <SignOnFirst address={details[0]?.message} another={another} />);
}

async function startForApp(c: Context<AppEnv>) {
  const { schema } = signOn.startForApps;
  return c.redirect(await perform(c, signOn.startForApps, schema && parse(schema, c.req.query())), 303);
}

/** Under `/account/sign-on`: where mailed links lead, and the way of apps' people to the provider. */
export const linkPages = new Pages()
  .get("/", (c) => linkPage(c, c.req.query("token") ?? ""))
  .get("/required", requires(VISIT), requiredPage)
  .get("/start", requires(signOn.startForApps), startForApp)
  .form("/", discovery.followLink, {
    values: (sent) => sent.texts("token"),
    done: awayPage,
    again: (c, refused, { token }) => linkPage(c, token, refused),
  }).router;
