/**
 * Requests of directories with their tokens, and answers as RFC 7644 has them. The first trip of a request reads both
 * its caller and what it asks for.
 */
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { sha256Hex } from "../../base/crypto/encoding";
import { atomically, type RowsOf, type Statements } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { toAppError } from "../../base/http/errors";
import { refuseWriteWhenFull } from "../../base/http/full-database";
import { originOf } from "../../base/http/origin";
import { consume } from "../../base/http/rate-limit";
import { refuseDeep } from "../../base/json-depth";
import { lookUp } from "../../base/limits/unknown";
import { log } from "../../base/log/log";
import { SCIM_PATH } from "../../base/paths";
import { connectionActor } from "../../base/schemas/actor";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";
import { HOUR_MS } from "../../base/time";
import { isKey } from "../../identity/api-keys/key";
import { errorBody, ScimError } from "../protocol/error";
import { etagOf } from "../protocol/etag";
import type { DirectoryCaller } from "./caller";
import { type CallerRow, callerByToken, noteRequest } from "./store";

/** The handlers of its routes read the token. */
export const SCIM = { callers: "anybody", bodyKiB: 1024 } as const;

const BEARER = /^Bearer +(scim_[0-9A-Za-z]{40})$/i;
const JSON_TYPE = /^application\/(?:scim\+)?json\s*(?:;|$)/i;
const MEDIA_TYPE = "application/scim+json";

export const connectionIdOf = (c: Context<AppEnv>): string => c.req.param("connection") ?? "";

/**
 * Authenticates the request in the batch that reads what it asks for. Throws 401 for whatever is no token of this
 * connection, 403 in a suspended tenant or through a disabled connection, RATE_LIMITED and SERVICE_UNAVAILABLE.
 */
export async function readAsDirectory<S extends Statements>(
  c: Context<AppEnv>,
  reads: S,
): Promise<{ caller: DirectoryCaller; found: RowsOf<S> }> {
  const deps = c.get("deps");
  const connectionId = connectionIdOf(c);
  const [, token = ""] = c.req.header("authorization")?.match(BEARER) ?? [];
  if (!isKey(token)) throw unauthenticated();
  const hash = await sha256Hex(token);
  const read = await lookUp(deps, "unknownApiKey", { clientIp: c.get("clientIp"), mark: hash }, async () => {
    const authenticated = { caller: callerByToken(connectionId, hash, deps.now()) };
    const { caller, ...found } = await atomically(deps.db, { ...authenticated, ...reads } as typeof authenticated);
    const [row] = caller;
    return row && { row, found: found as unknown as RowsOf<S> };
  });
  if (!read) throw unauthenticated();
  const { row, found } = read;
  if (row.isTenantSuspended === 1) throw new ScimError(403, "The tenant is suspended.");
  if (row.needsReview === 1) throw new ScimError(403, "An owner has yet to look at the connection and its tokens.");
  if (row.state === "disabled") throw new ScimError(403, "The connection is disabled.");
  await consume(c, "scim", connectionId);
  noteCall(deps, row, hash);
  refuseWriteWhenFull(c, { tenantId: row.tenantId, hasVerifiedOwner: true, databaseBytes: row.databaseBytes });
  c.set("logFields", { tenantId: row.tenantId, connectionId });
  return { caller: callerOf(c, row), found };
}

function callerOf(c: Context<AppEnv>, { settings, ...row }: CallerRow): DirectoryCaller {
  const { publicUrl, tokenIssuer } = c.get("deps").config;
  return {
    ...row,
    settings: JSON.parse(settings) as ConnectionSettings,
    actor: connectionActor(row.connectionId, row.name, originOf(c)),
    base: `${publicUrl ?? tokenIssuer}${SCIM_PATH}/${row.connectionId}`,
  };
}

/** To the hour: each time that is recorded costs rows. */
function noteCall(deps: Deps, { connectionId, requestedAt }: CallerRow, hash: string): void {
  const nowMs = deps.now();
  if (requestedAt !== null && nowMs - requestedAt < HOUR_MS) return;
  deps.background("SCIM request", noteRequest(deps, connectionId, hash, nowMs));
}

/** The same for everything, so that nobody learns which connections there are. */
const unauthenticated = () => new AppError("UNAUTHENTICATED", { headers: { "WWW-Authenticate": "Bearer" } });

/** Reads a body. Throws 415 for another type than JSON, and 400 `invalidSyntax`. */
export async function readBody(c: Context<AppEnv>): Promise<unknown> {
  const type = c.req.header("content-type");
  if (type && !JSON_TYPE.test(type)) throw new ScimError(415, "Send the body as application/scim+json.");
  const text = await c.req.text();
  refuseDeep(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AppError("INVALID_JSON");
  }
}

export function answer(c: Context<AppEnv>, body: object, status: ContentfulStatusCode = 200): Response {
  c.header("Content-Type", MEDIA_TYPE);
  c.header("Cache-Control", "no-store");
  return c.body(JSON.stringify(body), status);
}

/** One resource, with its version. */
export function answerResource(
  c: Context<AppEnv>,
  resource: Record<string, unknown>,
  { version, location, status = 200 }: { version: number; location: string; status?: 200 | 201 },
): Response {
  c.header("ETag", etagOf(version));
  if (status === 201) c.header("Location", location);
  return answer(c, resource, status);
}

/** The error in the shape of RFC 7644 section 3.12. */
export function answerError(c: Context<AppEnv>, raised: unknown): Response {
  if (raised instanceof ScimError) {
    logRefusal(c, raised);
    return answer(c, errorBody(raised.status, raised.message, raised.scimType), raised.status);
  }
  const error = toAppError(c, raised);
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const scimType = error.code === "INVALID_JSON" ? "invalidSyntax" : undefined;
  return answer(c, errorBody(error.status, error.message, scimType), error.status as ContentfulStatusCode);
}

/** Directories look for what is not there, and try again what has changed: nothing is wrong then. */
const EXPECTED = new Set([404, 412]);

function logRefusal(c: Context<AppEnv>, { status, scimType }: ScimError): void {
  if (EXPECTED.has(status)) return;
  log("warn", "scim refused", { connectionId: connectionIdOf(c), reason: scimType ?? String(status) });
}
