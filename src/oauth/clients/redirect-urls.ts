/**
 * Where apps may be sent back to. URLs are judged by an allow-list of schemes, and compared as strings (RFC 9700
 * section 2.1): whatever a parser makes of two spellings, only the registered one matches.
 */

const MAX_CHARACTERS = 512;
/** Printable ASCII without spaces, quotes, angle brackets and backslashes, which parsers read in different ways. */
const PLAIN = /^[!#-;=?-[\]_a-z~]+$/;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** The program's own scheme, such as `com.example.app` (RFC 8252 section 7.1). Some have one without a dot. */
const SCHEME = /^([a-z][a-z0-9+.-]*):/;
/** Schemes that are no program's own: what is sent there would run, be stored, or go to anybody. */
const NOT_OF_PROGRAMS = [
  ...["http", "https", "ws", "wss", "ftp", "mailto", "intent", "file", "data", "blob", "about"],
  ...["javascript", "vbscript", "view-source"],
];

export type ClientType = "web" | "native";

/** What is wrong with a redirect URL; null for a good one. */
export function refusalOf(text: string, type: ClientType): string | null {
  if (text.length > MAX_CHARACTERS) return `Must have at most ${MAX_CHARACTERS} characters`;
  const url = PLAIN.test(text) ? URL.parse(text) : null;
  if (!url || text.includes("#")) return "Must be a URL without spaces and fragment";
  if (url.username !== "" || url.password !== "") return "Must have no user name and no password";
  if (type === "native" && isOfProgram(text)) return null;
  const isWeb = url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!isWeb || !/^https?:\/\/[^/]/.test(text)) return "Must be an https URL, or an http URL of localhost";
  return null;
}

const isOfProgram = (text: string): boolean => {
  const [, scheme] = text.match(SCHEME) ?? [];
  return scheme !== undefined && !NOT_OF_PROGRAMS.includes(scheme);
};

/**
 * Whether a request's URL is one of those registered. A program on a device listens at whatever port is free (RFC 8252
 * section 7.3), so for `native` any port of the same loopback host matches.
 */
export const isRegistered = (url: string, registered: readonly string[], type: ClientType): boolean =>
  refusalOf(url, type) === null &&
  (registered.includes(url) || (type === "native" && registered.some((one) => isSameButPort(url, one))));

const isSameButPort = (url: string, registered: string): boolean =>
  [url, registered].every(isLoopback) && withoutPort(url) === withoutPort(registered);

const withoutPort = (url: string): string =>
  url.replace(/^(http:\/\/(?:\[::1\]|[^/:?]+))(?::\d{1,5})?(?=[/?]|$)/, "$1");

/** Whether a URL is opened by a program of this device, and any of them could have named the client. */
export const isLoopback = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === "http:" && LOOPBACK.test(parsed.hostname);
};

/** Whether the answer goes to a program of the person's device. */
export const isOnDevice = (url: string): boolean => isLoopback(url) || !url.startsWith("https:");
