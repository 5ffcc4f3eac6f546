/** The session that a link of a portal, or a setup link, opens once: its cookie, and how it is read. */
import { randomBytes, sha256Hex, toHex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import type { Actor } from "../../base/schemas/actor";
import { isKey } from "../api-keys/key";
import { type FoundLink, readByHash, readBySession } from "./session-store";
import { openLinkOf } from "./store";

/** Of a cookie: the link's id and the secret. */
const COOKIE = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/;
const SECRET_BYTES = 32;

/** The cookie of a session, and when it ends (Unix ms). */
export interface OpenedLink {
  cookie: string;
  expiresAt: number;
}

/**
 * The link whose session has this cookie; null when it is unknown, or when the link has ended or was revoked. Throws
 * RATE_LIMITED when too many unknown cookies come from `clientIp`.
 */
export async function linkOfCookie(
  deps: Deps,
  kind: "link" | "setup",
  cookie: string,
  clientIp: string,
): Promise<FoundLink | null> {
  const [, id, secret] = cookie.match(COOKIE) ?? [];
  if (!id || !secret) return null;
  const hash = await sha256Hex(secret);
  return lookUp(deps, "unknownPortal", { clientIp, mark: hash }, () => readBySession(deps, { kind, id, hash }));
}

/** Of a mailed link: see `mailToken`. */
const MAILED = /^[0-9a-f]{64}$/;

/** The link with this token that has not ended; null without one. */
export const linkOfToken = async (deps: Deps, kind: "link" | "setup", token: string): Promise<FoundLink | null> =>
  isKey(token) || MAILED.test(token) ? await readByHash(deps, kind, await sha256Hex(token)) : null;

/** Uses a link: of several parallel uses, one returns its session and the others null. */
export async function openOnce(
  deps: Deps,
  kind: "link" | "setup",
  { tenantId, id, expiresAt }: Pick<FoundLink, "tenantId" | "id" | "expiresAt">,
  actor: Actor,
): Promise<OpenedLink | null> {
  const secret = toHex(randomBytes(SECRET_BYTES));
  const isOpened = await openLinkOf(deps, kind, { tenantId, id, actor }, await sha256Hex(secret), deps.now());
  return isOpened ? { cookie: `${id}.${secret}`, expiresAt } : null;
}
