/** The last step of every sign-in in the console. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import type { OpenedSession } from "../../identity/sessions/tokens";
import type { FlashKey } from "../flash-messages";
import { deleteConsoleCookie } from "./cookies";
import { goOn } from "./go-on";
import { showNext } from "./page";
import { leadsToApp, safePath } from "./paths";
import { setSession } from "./session";

/** Sets the session cookie and redirects to `to`, or goes on to the app that somebody signs in to. */
export async function startSession(
  c: Context<AppEnv>,
  opened: OpenedSession,
  to: string,
  flash?: FlashKey,
): Promise<Response> {
  await setSession(c, opened);
  deleteConsoleCookie(c, "sign-in");
  deleteConsoleCookie(c, "mail-code");
  if (flash) showNext(c, flash);
  return leadsToApp(c, to) ? goOn(c, to) : c.redirect(safePath(to), 303);
}
