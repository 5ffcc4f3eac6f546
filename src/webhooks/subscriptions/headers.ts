/** A subscription's own headers, encrypted at rest. */
import { decrypt, encrypt } from "../../platform/crypto/encryption";
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { type Headers, type HeadersChange, headersOwner, leftOut, mergeHeaders, refuseHeaders } from "./header-options";

interface Sealed {
  id: string;
  url: string;
  headersSealed: string | null;
}

export async function openHeaders(
  { keys }: Pick<Deps, "keys">,
  { id, headersSealed }: Omit<Sealed, "url">,
): Promise<Headers> {
  if (headersSealed === null) return {};
  return JSON.parse(await decrypt(keys, headersOwner(id), headersSealed)) as Headers;
}

/** Returns the column for these headers. Throws VALIDATION_FAILED for too many. */
export async function sealHeaders(
  { keys }: Pick<Deps, "keys">,
  subscriptionId: string,
  headers: Headers,
): Promise<string | null> {
  const details = refuseHeaders(headers);
  if (details.length > 0) throw new AppError("VALIDATION_FAILED", { details });
  if (Object.keys(headers).length === 0) return null;
  return encrypt(keys, headersOwner(subscriptionId), JSON.stringify(headers));
}

/**
 * Returns the column after a change of headers or URL; undefined when it stays as it is. Throws VALIDATION_FAILED for
 * too many headers, and when the URL's origin changes and a header is not given again, because a credential must not go
 * to another receiver unasked.
 */
export async function changedHeaders(
  deps: Pick<Deps, "keys">,
  before: Sealed,
  url: string | undefined,
  change: HeadersChange | null | undefined,
): Promise<string | null | undefined> {
  const headers = await openHeaders(deps, before);
  if (url !== undefined && new URL(url).origin !== new URL(before.url).origin) {
    const details = leftOut(headers, change).map((name) => ({
      path: `delivery.headers.${name}`,
      message: "The URL has another origin: send the header again, or null",
    }));
    if (details.length > 0) throw new AppError("VALIDATION_FAILED", { details });
  }
  if (change === undefined) return undefined;
  const after = mergeHeaders(headers, change);
  return isSame(headers, after) ? undefined : sealHeaders(deps, before.id, after);
}

const isSame = (a: Headers, b: Headers) => JSON.stringify(Object.entries(a)) === JSON.stringify(Object.entries(b));
