/** Sign-ons that start at the provider's own pages (OpenID Connect Core 1.0, section 4). */
import type * as z from "zod";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { lookUp } from "../../base/limits/unknown";
import type { Cookies } from "../../base/operation";
import { lowerUuid } from "../../base/uuid";
import type { ConnectionRow } from "../connections/store";
import { findById } from "./connection-store";
import type { initiation } from "./schemas";
import { startSignOn } from "./start";

/** It goes into a cookie. */
const MAX_TO_CHARACTERS = 1_000;

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
  if (found && iss !== undefined && iss !== issuerOf(found)) {
    throw invalidField("iss", "Must be the issuer of the connection");
  }
  const to = target === undefined ? undefined : pathBelow(deps.config.appUrl, target);
  return startSignOn(deps, { connection: id, to, login_hint }, clientIp, cookies);
}

/** What its provider calls itself. */
const issuerOf = ({ settings: { oidc, saml } }: Pick<ConnectionRow, "settings">): string | null =>
  saml ? saml.entityId : oidc.issuer;

/** The path of a page of the client; undefined for another URL, also for one that leaves by `..`. */
export function pathBelow(appUrl: string, target: string): string | undefined {
  const url = URL.parse(target);
  if (!url?.href.startsWith(`${appUrl}/`)) return undefined;
  const path = url.pathname + url.search + url.hash;
  return path.length <= MAX_TO_CHARACTERS ? path : undefined;
}
