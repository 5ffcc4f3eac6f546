/** Sign-ons that start at the provider's own pages (OpenID Connect Core 1.0, section 4). */
import type * as z from "zod";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { lookUp } from "../../base/limits/unknown";
import type { Cookies } from "../../base/operation";
import { lowerUuid } from "../../base/uuid";
import { findById } from "./connection-store";
import type { initiation } from "./schemas";
import { startSignOn } from "./start";

/**
 * Returns the URL to which the browser goes. Throws VALIDATION_FAILED for another issuer than the connection's. A
 * target that is no page of the client is dropped.
 */
export async function initiateSignOn(
  deps: Deps,
  connection: string,
  { iss, login_hint, target_link_uri: target }: z.infer<typeof initiation>,
  clientIp: string,
  cookies: Cookies,
): Promise<string> {
  const id = lowerUuid(connection);
  const mark = `sign-on:${id}`;
  const found = await lookUp(deps, "unknownApiKey", { clientIp, mark }, () => findById(deps, id));
  if (found && iss !== undefined && iss !== found.settings.oidc.issuer) {
    throw invalidField("iss", "Must be the issuer of the connection");
  }
  const isOurs = target?.startsWith(`${deps.config.appUrl}/`) === true;
  const to = isOurs ? target : undefined;
  return startSignOn(deps, { connection: id, to, login_hint }, clientIp, cookies);
}
