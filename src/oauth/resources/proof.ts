/** A tenant's API proves that it wants our tokens, so that nobody gets tokens for the API of somebody else. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { invalidField } from "../../base/errors";
import { PLATFORM_TENANT } from "../../base/schemas/tenant-ref";
import { fetchJson } from "../clients/unlisted/fetch-json";
import type { Registrar } from "../registrar";
import { isSameIdentifier } from "./identifier";

const MAX_BYTES = 5 * 1024;

/** RFC 9728 section 2. */
const metadata = z.object({ resource: z.string(), authorization_servers: z.array(z.string()).max(100) });

/** Where an API says how it is reached (RFC 9728 section 3.1). */
function metadataUrl(identifier: string): string {
  const { origin, pathname, search } = new URL(identifier);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`;
}

/** Throws VALIDATION_FAILED unless the document of a tenant's API names it, and us; and RATE_LIMITED. */
export async function requireProof(deps: Deps, { ownerId, clientIp }: Registrar, identifier: string): Promise<void> {
  if (ownerId === PLATFORM_TENANT) return;
  if (!identifier.startsWith("https://")) throw invalidField("identifier", "Must be an https URL");
  const url = metadataUrl(identifier);
  // Afresh, so that a document counts as soon as it is mended.
  const { data } = metadata.safeParse(await fetchJson(deps, url, { maxBytes: MAX_BYTES, clientIp, longestMs: 0 }));
  const names = (one: string, other: string) => one.length <= other.length + 1 && isSameIdentifier(one, other);
  const isProven =
    data !== undefined &&
    names(data.resource, identifier) &&
    data.authorization_servers.some((server) => names(server, deps.config.tokenIssuer));
  if (isProven) return;
  throw invalidField("identifier", `${url} must name it as resource, and this service in authorization_servers`);
}
