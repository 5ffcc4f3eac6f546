/** Exchanging the code of a sign-in with a provider of the service, or with the tenant's own. */
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { Deps } from "../../base/deps";
import { AppError, notFound } from "../../base/errors";
import type { Cookies } from "../../base/operation";
import type { ClientContext } from "../../base/schemas/client-context";
import { hasProviders, RESULT_COOKIE } from "../../identity/providers/providers";
import { openResult, prolonged } from "../../identity/providers/sign-in-result";
import type { OpenedSession } from "../../identity/sessions/tokens";
import {
  badCode,
  type Exchange,
  isWaiting,
  loginWithProvider,
  readSignIn,
} from "../../identity/sign-in/providers/sign-in";
import { SignOnRefused } from "../refused";
import { rememberConnection } from "../remembered";
import type { SignedOn } from "../signed-on";
import { recordRefusal } from "../traces/record";
import { signOn } from "./sign-on";

const PURPOSE = "signed on";

/** Opens a session with a code, in the browser whose cookie matches it. Throws as `loginWithProvider` and `signOn`. */
export async function exchangeCode(
  deps: Deps,
  exchange: Exchange,
  cookies: Cookies,
  client: ClientContext,
): Promise<OpenedSession> {
  const { config } = deps;
  const result = await openResult<SignedOn>(deps, PURPOSE, cookies.get(RESULT_COOKIE), exchange.code);
  // Either of the two can have been switched off in between.
  if (result ? !hasSignOn(config) : !hasProviders(config)) throw notFound("Route");
  if (!result) return loginWithProvider(deps, exchange, cookies, client);
  if (exchange.tenantId && exchange.tenantId !== result.tenantId) throw notFound("Tenant");
  try {
    const opened = await signOn(deps, result, exchange.mailCode, client);
    if (!opened) throw badCode();
    cookies.delete(RESULT_COOKIE);
    await rememberConnection(deps, result.connectionId, cookies);
    return opened;
  } catch (error) {
    if (error instanceof SignOnRefused) throw await refusal(deps, result, error);
    if (error instanceof AppError && isWaiting(error)) {
      const { sealed, expiresAt } = await prolonged(deps, result, PURPOSE);
      cookies.set(RESULT_COOKIE, sealed, expiresAt);
    }
    throw error;
  }
}

/** The trace says why, to whoever runs the connection: the person may be somebody else. */
async function refusal(deps: Deps, result: SignedOn, refused: SignOnRefused): Promise<AppError> {
  const { subject, email, connectionId, version } = result;
  const trace = await recordRefusal(deps, { connectionId, version }, refused, { sub: subject, email });
  return new AppError("FORBIDDEN", {
    message: "Your organisation's sign-on was refused. Ask its administrators, and give them the number of the trace.",
    details: [{ path: "trace", message: trace }],
  });
}

/** Whom a code signs in, for a page that asks for more. Throws INVALID_TOKEN. */
export async function readCode(deps: Deps, code: string, sealed: string | undefined) {
  const result = await openResult<SignedOn>(deps, PURPOSE, sealed, code);
  if (!result) return readSignIn(deps, code, sealed);
  return { email: result.email ?? "", label: "your organisation" };
}
