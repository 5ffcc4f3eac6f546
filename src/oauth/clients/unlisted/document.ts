/**
 * An app that nobody has registered tells us what it is by a document at its `client_id`, which is a URL (OAuth Client
 * ID Metadata Document). What it says proves nothing but that it speaks for the URL's host.
 */
import * as z from "zod";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import { refusalOfKeys } from "../key-set";
import { isLoopback, refusalOf } from "../redirect-urls";
import type { ClientRow } from "../store";
import { fetchJson, isRemembered } from "./fetch-json";
import { findCopy } from "./listed-store";
import { unlistedClient } from "./row";

export const MAX_DOCUMENT_BYTES = 5 * 1024;
const [MIN_CHARACTERS, MAX_CHARACTERS] = [9, 256];
/** Printable ASCII. */
const PLAIN = /^[!-~]+$/;
const DNS_NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/;
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/** Whether a `client_id` may be fetched, judged as a text. */
export function isDocumentUrl({ config, ownHosts }: Pick<Deps, "config" | "ownHosts">, text: string): boolean {
  const isShort = text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS;
  if (!isShort || !PLAIN.test(text) || !text.startsWith("https://") || /[?#\\@]/.test(text)) return false;
  const url = URL.parse(text);
  if (url?.href !== text || url.pathname === "/" || DOT_SEGMENT.test(text)) return false;
  const isLocal = config.webhookEgress === "any" && url.hostname === "localhost";
  return (isLocal || (DNS_NAME.test(url.hostname) && url.port === "")) && !ownHosts.includes(url.host);
}

/** One line without control characters. */
const shownName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);

const metadata = z.object({
  client_id: z.string(),
  client_name: shownName,
  redirect_uris: z.array(z.string()).min(1).max(20),
  token_endpoint_auth_method: z.enum(["none", "private_key_jwt"]).default("none"),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(10) }).optional(),
  jwks_uri: z.string().optional(),
  client_secret: z.undefined().optional(),
});

/**
 * The app of a URL that `isDocumentUrl` admits; null if its document says nothing that we can use. Where it cannot be
 * fetched, the copy of operators serves. Where they must have listed it, nothing is fetched before that is known; one
 * that is at hand is for the caller to look up.
 */
export async function readDocument(deps: Deps, id: string, clientIp: string): Promise<ClientRow | null> {
  const isLookedUp = deps.config.oauthClientMetadata === "listed" && !isRemembered(deps, id);
  const listed = isLookedUp ? await findCopy(deps, id) : undefined;
  if (listed === null) return null;
  const fetched = await fetchDocument(deps, id, clientIp).catch(limitOf);
  if (fetched !== null && !(fetched instanceof AppError)) return appOfDocument(deps, id, fetched);
  const copy = listed ?? (await findCopy(deps, id));
  if (copy !== null) return appOfDocument(deps, id, JSON.parse(copy));
  if (fetched) throw fetched;
  return null;
}

/** A host that refuses us is asked a few times a minute: that must not keep people from an app with a copy. */
function limitOf(error: unknown): AppError {
  if (error instanceof AppError && error.code === "RATE_LIMITED") return error;
  throw error;
}

/** What is at the URL; null for nothing that we read. Throws RATE_LIMITED. */
export const fetchDocument = (deps: Deps, id: string, clientIp: string): Promise<unknown> =>
  fetchJson(deps, id, { maxBytes: MAX_DOCUMENT_BYTES, clientIp });

/** The app that a document at the URL describes; null for one that we cannot use. */
export async function appOfDocument(deps: Deps, id: string, document: unknown): Promise<ClientRow | null> {
  const { data } = metadata.safeParse(document);
  if (data?.client_id !== id) return null;
  const { host } = new URL(id);
  const redirectUrls = data.redirect_uris.filter((url) => isOwn(url, host));
  const proof = data.token_endpoint_auth_method === "none" ? { jwks: null, jwksUrl: null } : keysOf(data, host);
  if (redirectUrls.length === 0 || !proof) return null;
  const auth = data.token_endpoint_auth_method;
  return unlistedClient(
    { id, kind: "metadata", name: data.client_name, host, auth, redirectUrls, ...proof },
    deps.now(),
  );
}

/** On the device, or on the host that speaks. */
const isOwn = (url: string, host: string): boolean =>
  refusalOf(url, "web") === null && (isLoopback(url) || new URL(url).host === host);

/** Null for keys that are not the app's own. */
function keysOf(
  { jwks, jwks_uri: url }: z.output<typeof metadata>,
  host: string,
): Pick<ClientRow["settings"], "jwks" | "jwksUrl"> | null {
  if ((jwks === undefined) === (url === undefined)) return null;
  if (jwks) return refusalOfKeys(jwks) === null ? { jwks, jwksUrl: null } : null;
  const parsed = URL.parse(url ?? "");
  return parsed?.protocol === "https:" && parsed.host === host ? { jwks: null, jwksUrl: parsed.href } : null;
}
