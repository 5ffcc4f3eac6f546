/**
 * An app that knows nothing better registers itself (RFC 7591). Its `client_id` is the registration, encrypted
 * (appendix A.5.2), so that a flood of them stores nothing.
 */
import * as z from "zod";
import { decrypt, encrypt } from "../../../base/crypto/encryption";
import type { Deps } from "../../../base/deps";
import { OAuthError } from "../../errors";
import { refusalOf } from "../redirect-urls";
import type { ClientRow } from "../store";
import { internalId, isLongId } from "./long-id";
import { unlistedClient } from "./row";

const OWNER = "oauth:registration";
const MAX_REDIRECTS = 5;
/** A scheme of its own, such as `cursor:`; never one that browsers and systems act on. */
const OWN_SCHEME = /^([a-z][a-z0-9+.-]*):/;
const NEVER =
  /^(javascript|data|file|blob|about|vbscript|mailto|intent|ws|wss|ftp|http|https|tel|sms|view-source|urn)$/;
const PLAIN = /^[!#-;=?-[\]_a-z~]{1,512}$/;

const asked = z.object({
  redirect_uris: z.array(z.string()).min(1).max(50),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u)
    .optional(),
});

interface Registration {
  redirectUrls: string[];
  name: string;
  /** Unix ms. */
  at: number;
}

const refused = (code: "invalid_redirect_uri" | "invalid_client_metadata", description: string) =>
  new OAuthError(code, description);

/** The answer has no null member, which some apps refuse. Throws OAuthError. */
export async function registerUnlisted(deps: Deps, body: unknown): Promise<Record<string, unknown>> {
  const { data, error } = asked.safeParse(body);
  if (!data) {
    const isAboutUrls = error.issues.some(({ path }) => path[0] === "redirect_uris");
    throw isAboutUrls
      ? refused("invalid_redirect_uri", "redirect_uris must have one to 50 URLs.")
      : refused("invalid_client_metadata", "client_name must be one line of at most 64 characters.");
  }
  const redirectUrls = data.redirect_uris.filter(isFit).slice(0, MAX_REDIRECTS);
  const [first] = redirectUrls;
  if (first === undefined) throw refused("invalid_redirect_uri", "redirect_uris has no URL that can be used.");
  const at = deps.now();
  const registration: Registration = { redirectUrls, name: data.client_name ?? hostOf(first), at };
  const clientId = `dc_${toToken(await encrypt(deps.keys, OWNER, JSON.stringify(registration)))}`;
  if (!isLongId(clientId)) throw refused("invalid_client_metadata", "The registration is too long.");
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(at / 1000),
    client_name: registration.name,
    redirect_uris: redirectUrls,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** The app of a registration; null for one that is not ours, or was made under a key that is gone. */
export async function readRegistration(deps: Deps, clientId: string): Promise<ClientRow | null> {
  if (!isLongId(clientId)) return null;
  try {
    const text = await decrypt(deps.keys, OWNER, fromToken(clientId.slice("dc_".length)));
    const { redirectUrls, name, at } = JSON.parse(text) as Registration;
    const said = { kind: "registration", name, auth: "none", redirectUrls, jwks: null, jwksUrl: null } as const;
    const id = await internalId(clientId);
    return { ...(await unlistedClient({ ...said, id, host: hostOf(redirectUrls[0] ?? "") }, at)), longId: clientId };
  } catch {
    return null;
  }
}

/** By the rule of registered URLs, or with a scheme of the app's own. */
function isFit(url: string): boolean {
  if (refusalOf(url, "web") === null) return true;
  const [, scheme = ""] = url.match(OWN_SCHEME) ?? [];
  return scheme !== "" && !NEVER.test(scheme) && PLAIN.test(url) && !url.includes("#");
}

/**
 * The client as people see it who are led back to `redirectUri`. A registration names whatever hosts it likes: only the
 * one that gets the answer says something of it.
 */
export const shownAt = (client: ClientRow, redirectUri: string): ClientRow =>
  client.kind === "registration" ? { ...client, host: hostOf(redirectUri) } : client;

/** Its host, or its scheme where it has one of its own. */
function hostOf(url: string): string {
  const { protocol = "", host = "" } = URL.parse(url) ?? {};
  return /^https?:$/.test(protocol) ? host : protocol;
}

const toToken = (sealed: string): string => sealed.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const fromToken = (token: string): string => token.replaceAll("-", "+").replaceAll("_", "/");
