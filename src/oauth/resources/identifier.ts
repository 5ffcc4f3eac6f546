/** The identifiers of resources, which are the audiences of their tokens (RFC 8707 section 2). */

const MAX_CHARACTERS = 256;
const PLAIN = /^[!#-;=?-[\]_a-z~]+$/;
/** An API that a developer runs. */
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const URN = /^urn:[a-z0-9][a-z0-9-]{1,31}:\S+$/;

/** What is wrong with an identifier; null for a good one. */
export function refusalOfIdentifier(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return `Must have at most ${MAX_CHARACTERS} characters`;
  if (!PLAIN.test(text) || text.includes("#")) return "Must be a URL or URN without spaces and fragment";
  if (URN.test(text)) return null;
  const url = URL.parse(text);
  const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isWeb || url.username !== "" || url.password !== "") return "Must be an https URL, or a URN";
  // One spelling alone, so that no second resource has the same URL.
  return spellings(text).includes(text) ? null : `Must be written as ${url.href}`;
}

/** The texts that a resource may be registered with which a request names; they differ by a slash at the end. */
export function spellings(text: string): readonly string[] {
  const href = text.length > MAX_CHARACTERS ? undefined : URL.parse(text)?.href;
  if (href === undefined) return [];
  return href.endsWith("/") ? [href, href.slice(0, -1)] : [href, `${href}/`];
}

export const isSameIdentifier = (one: string, other: string): boolean =>
  spellings(one).includes(other) || one === other;
