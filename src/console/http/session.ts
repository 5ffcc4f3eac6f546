/** The console's session: who is signed in, by the session cookie. */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../http/env";
import { authenticateVisitor, type Visitor } from "../../sessions/authenticate";
import { dropCookie, takeCookie } from "./cookies";
import { CONSOLE_PATH } from "./paths";

/** The signed-in user, for pages that anybody may see; null when nobody is signed in. */
export async function peekVisitor(c: Context<AppEnv>): Promise<Visitor | null> {
  const token = takeCookie(c, "session");
  return token === undefined ? null : authenticateVisitor(c.get("deps"), token);
}

/** Redirects to the sign-in page without a live session; a GET comes back after sign-in. */
export const requireVisitor = createMiddleware<AppEnv>(async (c, next) => {
  const visitor = await peekVisitor(c);
  if (!visitor) {
    if (takeCookie(c, "session") !== undefined) dropCookie(c, "session");
    return c.redirect(signInPath(c), 303);
  }
  c.set("visitor", visitor);
  c.set("principal", visitor.principal);
  await next();
});

function signInPath(c: Context<AppEnv>): string {
  const { pathname, search } = new URL(c.req.url);
  const signIn = `${CONSOLE_PATH}/sign-in`;
  if (c.req.method !== "GET" || pathname === CONSOLE_PATH) return signIn;
  return `${signIn}?to=${encodeURIComponent(pathname + search)}`;
}
