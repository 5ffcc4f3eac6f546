/** The headers of a receiver's answer that the log keeps: those that help to find its request, and no credential. */
import { type Headers, withoutValues } from "../options/header-options";

/** The most characters that are kept. An answer that was wanted is seldom looked at, and there are many of them. */
const MAX_CHARACTERS = { failed: 1_024, success: 256 } as const;
const MAX_VALUE_CHARACTERS = 200;

/** A token (RFC 9110, section 5.6.2). A listener can send anything as a name. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/;
/** Names of credentials. WWW-Authenticate only says which kind the receiver wants. */
const CREDENTIAL =
  /^(?!www-authenticate$).*(cookie|auth|token|secret|passw|credential|session|signature|csrf|xsrf|key)/;
/** Headers of the connection, of caches and for browsers, which are long and say nothing about a delivery. */
const NOISE = new RegExp(
  "^(connection|keep-alive|transfer-encoding|content-length|date|age|vary|etag|expires|pragma|accept-ranges|alt-svc" +
    "|nel|p3p|cache-control|last-modified|report-to|reporting-endpoints|expect-ct|origin-agent-cluster" +
    "|referrer-policy|permissions-policy|strict-transport-security|(content-security|cross-origin|access-control)-.*" +
    "|x-(content-type-options|frame-options|xss-protection|dns-prefetch-control|download-options" +
    "|permitted-cross-domain-policies))$",
);
/** A listener can send them, and a line break ends a header. */
const CONTROLS = /\p{Cc}+/gu;

/** Returns what to keep as lines, each `name: value`; null if that is nothing. `own` are the subscription's headers. */
export function keptHeaders(
  headers: Iterable<readonly [name: string, value: string]>,
  status: "success" | "failed",
  own: Headers,
): string | null {
  const lines: string[] = [];
  for (const [given, value] of headers) {
    const name = given.toLowerCase();
    if (!NAME.test(name) || CREDENTIAL.test(name) || NOISE.test(name)) continue;
    lines.push(`${name}: ${shown(name, withoutValues(value, own))}`);
  }
  let left: number = MAX_CHARACTERS[status];
  const fits = (line: string) => {
    left -= line.length + 1;
    return left >= 0;
  };
  // The shortest first, so that a long one does not take the place of many.
  return (
    lines
      .sort((one, other) => one.length - other.length)
      .filter(fits)
      .join("\n") || null
  );
}

/** The query of an address can be a credential. */
function shown(name: string, value: string): string {
  const text = value.slice(0, MAX_CHARACTERS.failed).replace(CONTROLS, " ");
  const query = name === "location" ? text.search(/[?#]/) : -1;
  const safe = query === -1 ? text : `${text.slice(0, query)}?…`;
  return safe.length > MAX_VALUE_CHARACTERS ? `${safe.slice(0, MAX_VALUE_CHARACTERS)}…` : safe;
}

/** Returns the lines of `keptHeaders` as names with values. */
export const headersOfLines = (lines: string): Record<string, string> =>
  Object.fromEntries(
    lines.split("\n").map((line) => {
      const end = line.indexOf(": ");
      return [line.slice(0, end), line.slice(end + 2)];
    }),
  );
