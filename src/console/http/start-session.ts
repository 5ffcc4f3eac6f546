/** The last step of every sign-in in the console. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { deleteSessionOfUser } from "../../identity/sessions/store";
import type { OpenedSession } from "../../identity/sessions/tokens";
import type { FlashKey } from "../flash-messages";
import { deleteConsoleCookie } from "./cookies";
import { goOn } from "./go-on";
import { isForApps, passingOn } from "./mount";
import { showNext } from "./page";
import { leadsToApp, returnPath } from "./paths";
import { findCurrentUser, setSession } from "./session";

/** Leads to a page of ours, or goes on to an app, after a form. */
export const goTo = async (c: Context<AppEnv>, to: string): Promise<Response> =>
  leadsToApp(c, to) ? goOn(c, to) : c.redirect(passingOn(c, returnPath(c, to)), 303);

/** Sets the session cookie and redirects to `to`, or goes on to the app that somebody signs in to. */
export async function startSession(
  c: Context<AppEnv>,
  opened: OpenedSession,
  to: string,
  flash?: FlashKey,
): Promise<Response> {
  const former = isForApps(c) ? (await findCurrentUser(c))?.principal : undefined;
  await setSession(c, opened);
  // On the pages for apps, somebody who is signed in can sign in again, or with another account.
  if (former && former.sessionId !== opened.session.sessionId) {
    await deleteSessionOfUser(c.get("deps"), former, former.sessionId, "auth.logout");
  }
  deleteConsoleCookie(c, "sign-in");
  deleteConsoleCookie(c, "mail-code");
  if (flash) showNext(c, flash);
  return goTo(c, to);
}
