/** Asks for a confirmation of the session before a page is shown that needs one. */
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../base/http/env";
import { hasOperatorFactor, sessionOf } from "../../base/http/permissions";
import { isOperator } from "../../base/operator";
import { CONSOLE_PATH } from "../../base/paths";
import { listPasskeysOfUser } from "../../identity/passkeys/store";
import { isConfirmed } from "../../identity/step-up/confirm";
import { SetUpFactor } from "../components/set-up-page";
import { confirmFirst } from "./form";
import { page } from "./page";

const OPERATOR = `${CONSOLE_PATH}/operator`;

/** For a page that begins what needs a confirmation: asks before anything is typed, and comes back. */
export const confirmedOnly = createMiddleware<AppEnv>(async (c, next) => {
  if (isConfirmed(c.get("deps"), sessionOf(c))) return next();
  const { pathname, search } = new URL(c.req.url);
  return confirmFirst(c, pathname + search);
});

/**
 * For the pages of operators: asks for the second factor or a passkey if the session was opened with a password alone,
 * or says how to set one up. Others do not learn that the pages exist.
 */
export const operatorFactorFirst = createMiddleware<AppEnv>(async (c, next) => {
  const deps = c.get("deps");
  const session = sessionOf(c);
  if (!isOperator(deps.config, session) || hasOperatorFactor(session)) return next();
  const { twoFactorEnabled } = c.get("currentUser");
  if (twoFactorEnabled || (await listPasskeysOfUser(deps, session.userId)).length > 0) {
    return confirmFirst(c, c.req.method === "GET" ? c.req.path : OPERATOR);
  }
  return page(c, { title: "Operator", section: "operator", status: 403 }, <SetUpFactor />);
});
