/** Who opens a page for an app, and what is decided about the request of the app. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";
import { ACCOUNT_PATH } from "../../base/paths";
import type { CurrentUser } from "../../base/schemas/principal";
import { judge, type Outcome, openRequest } from "../../oauth/authorization/authorize";
import type { AppRequest } from "../../oauth/authorization/request";
import { readStanding, selectStanding, standingOf } from "../../oauth/authorization/store";
import { noteApp } from "./app-of-page";
import { redirectTo } from "./page";
import { findCurrentUser, findCurrentUserWith } from "./session";

/** What a page for an app may cost whoever opens it. */
export const VISIT = { callers: "anybody", limit: { rule: "authorize", per: "IP address" } } as const;

/** Judges a request by who is signed in: both are read in one round trip. */
export async function judgeVisit(
  c: Context<AppEnv>,
  asked: AppRequest,
): Promise<{ user: CurrentUser | null; outcome: Outcome }> {
  const deps = c.get("deps");
  let user: CurrentUser | null = null;
  const outcome = await judge(deps, asked, c.get("clientIp"), async (wanted) => {
    const found = await findCurrentUserWith(c, (claims) => selectStanding(deps, wanted, claims));
    user = found?.user ?? null;
    const standing = found ? standingOf(found.also) : await readStanding(deps, wanted);
    return { ...standing, session: found?.user?.principal ?? null };
  });
  noteApp(c, outcome.client);
  return { user, outcome };
}

/** For a page that belongs to the sealed request `r`. Throws VALIDATION_FAILED for one that is not ours or is over. */
export async function decided(c: Context<AppEnv>) {
  const sealed = c.req.query("r") ?? "";
  const asked = await openRequest(c.get("deps"), sealed);
  const another = `${ACCOUNT_PATH}/sign-in?r=${sealed}`;
  return { sealed, asked, another, ...(await judgeVisit(c, asked)) };
}

/** Notes who is signed in; whoever is not signs in first. */
export const whoAnswers = createMiddleware<AppEnv>(async (c, next) => {
  const session = (await findCurrentUser(c))?.principal;
  if (!session) return redirectTo(c, "/sign-in");
  c.set("principal", session);
  await next();
});
