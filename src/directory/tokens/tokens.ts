/** Making, listing and ending the tokens of a connection's directory. */
import { sha256Hex } from "../../base/crypto/encoding";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { AppError, invalidField, notFound, orNotFound } from "../../base/errors";
import { iso } from "../../base/time";
import { makeKey } from "../../identity/api-keys/key";
import { connectionOf } from "../../sign-on/connections/manage";
import type { ConnectionChanger } from "../../sign-on/connections/store";
import { tellOwners } from "../../tenancy/tenants/owner-notices";
import type { NewScimToken, ScimTokenView } from "./schemas";
import { deleteToken, insertToken, listTokens, MOST_TOKENS, type ScimTokenRow } from "./store";

/** Returns the token, which nobody can read again. Throws NOT_FOUND, VALIDATION_FAILED, and CONFLICT beside two. */
export async function makeToken(deps: Deps, changer: ConnectionChanger, connectionId: string, sent: NewScimToken) {
  const { name } = await connectionOf(deps, changer.tenantId, connectionId);
  const createdAt = deps.now();
  const expiresAt = sent.expiresAt === undefined ? null : Date.parse(sent.expiresAt);
  if (expiresAt !== null && expiresAt <= createdAt) throw invalidField("expiresAt", "Must be in the future");
  const token = makeKey("scim_");
  const needsReview = changer.setupLinkId === null ? 0 : 1;
  const row = {
    id: newId(),
    hash: await sha256Hex(token),
    createdAt,
    expiresAt,
    lastUsedAt: null,
    needsReview,
  } as const;
  if (!(await insertToken(deps, changer, connectionId, row))) throw tooMany();
  if (needsReview === 1) tellOwners(deps, changer.tenantId, { what: "toReview", connection: name });
  const { lastUsedAt: _, ...shown } = view(row);
  return { ...shown, token };
}

const tooMany = () =>
  new AppError("CONFLICT", { message: `A connection can have at most ${MOST_TOKENS} SCIM tokens. Revoke one first.` });

/** Throws NOT_FOUND. */
export const tokensOf = async (deps: Deps, tenantId: string, connectionId: string): Promise<ScimTokenView[]> =>
  orNotFound(await listTokens(deps, tenantId, connectionId), "Connection").map(view);

const view = ({ id, createdAt, expiresAt, lastUsedAt, needsReview }: ScimTokenRow): ScimTokenView => ({
  id,
  needsReview: needsReview === 1,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
  lastUsedAt: iso(lastUsedAt),
});

/** Throws NOT_FOUND. */
export async function revokeToken(
  deps: Deps,
  changer: ConnectionChanger,
  connectionId: string,
  id: string,
): Promise<void> {
  if (!(await deleteToken(deps, changer, connectionId, id))) throw notFound("SCIM token");
}
