/** A subscription's own headers, encrypted at rest. */
import { decrypt, encrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { refuseInvalid } from "../../base/errors";
import { type Headers, type HeadersChange, headersOwner, leftOut, mergeHeaders, refuseHeaders } from "./header-options";

interface Sealed {
  id: string;
  headersSealed: string | null;
}

export async function openHeaders({ keys }: Pick<Deps, "keys">, { id, headersSealed }: Sealed): Promise<Headers> {
  if (headersSealed === null) return {};
  return JSON.parse(await decrypt(keys, headersOwner(id), headersSealed)) as Headers;
}

/** Returns the column for these headers. Throws VALIDATION_FAILED for too many. */
export async function sealHeaders(
  { keys }: Pick<Deps, "keys">,
  subscriptionId: string,
  headers: Headers,
): Promise<string | null> {
  refuseInvalid(refuseHeaders(headers));
  if (Object.keys(headers).length === 0) return null;
  return encrypt(keys, headersOwner(subscriptionId), JSON.stringify(headers));
}

/**
 * Returns the headers after a change of headers or URL. Throws VALIDATION_FAILED when the URL's origin changes and a
 * header is not given again, because a credential must not go to another receiver unasked.
 */
export function headersAfter(
  headers: Headers,
  before: { url: string },
  url: string | undefined,
  change: HeadersChange | null | undefined,
): Headers {
  if (url !== undefined && new URL(url).origin !== new URL(before.url).origin) {
    const message = "The URL has another origin: send the header again, or null";
    refuseInvalid(leftOut(headers, change).map((name) => ({ path: `delivery.headers.${name}`, message })));
  }
  return change === undefined ? headers : mergeHeaders(headers, change);
}

/** Whether two sets of headers are the same, in the same order. */
export const isSame = (a: Headers, b: Headers) =>
  JSON.stringify(Object.entries(a)) === JSON.stringify(Object.entries(b));
