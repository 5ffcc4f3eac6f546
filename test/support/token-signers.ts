/** Isolates with different signing settings on one database, which begins empty. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { vi } from "vitest";
import worker from "../../src";
import { deriveKeyRing } from "../../src/base/crypto/keys";
import { createDeps } from "../../src/base/deps";
import { MINUTE_MS } from "../../src/base/time";
import { type Answer, newAddress, newEmail, PASSWORD } from "./client";
import { migrate } from "./databases";

type Settings = Record<string, string>;

/** A database of its own: the others have signers already. */
export const database = env.UPGRADED;

/** Makes the tables of the database anew, which are those of an older version after the tests of upgrades. */
export async function makeTables(): Promise<void> {
  const listed = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'
    AND name NOT GLOB '_cf*'`;
  const { results } = await database.prepare(listed).all<{ name: string }>();
  if (results.length > 0) await database.batch(results.map(({ name }) => database.prepare(`DROP TABLE ${name}`)));
  await migrate(database);
}

export const DELAY_MS = 20 * MINUTE_MS;
export const [OLD, NEW] = [
  "5f1c7a90e3b84d26aa0b9e7d1c3f5a72d8e6b4c2109f7e5d3c1b0a9f8e7d6c5b",
  "c07e2d94b1f6483e9a5d7c2b6f0e8d1a3b5c7e9f1d2a4b6c8e0f9a7b5c3d1e2f",
];
const PUBLIC: Settings = {
  PUBLIC_URL: "https://auth.example.com",
  // What deployments from before ES256 was the default have set.
  TOKEN_ALGORITHM: "EdDSA",
  TOKEN_KEY_DELAY_SECONDS: "1200",
  SECRET_KEYS: OLD,
  OAUTH_SERVER: "off",
};
export const ORIGIN = "https://auth.example.com";

let isolates = 0;
/** Another isolate: a setting that changes nothing here makes it read its settings anew. */
export const isolate = (settings: Settings = {}): Settings => ({
  ...PUBLIC,
  ...settings,
  MAIL_FROM: `Postern ${++isolates} <a@example.com>`,
});

const bindings = (settings: Settings) => ({ ...env, DB: database, SHARD_1: database, ...settings }) as Env;

export async function ask(
  settings: Settings,
  method: string,
  path: string,
  options: { token?: string; body?: object } = {},
) {
  const context = createExecutionContext();
  const headers = new Headers({ "cf-connecting-ip": newAddress(), "content-type": "application/json" });
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  const body = options.body ? JSON.stringify(options.body) : null;
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
    method,
    headers,
    body,
  });
  const response = await worker.fetch(request, bindings(settings), context);
  await waitOnExecutionContext(context);
  return { status: response.status, body: await response.json<Answer["body"]>() };
}

export const register = async (settings: Settings): Promise<string> => {
  const body = { email: newEmail(), password: PASSWORD };
  return (await ask(settings, "POST", "/api/v1/auth/register", { body })).body.data.accessToken;
};
export const admits = async (settings: Settings, token: string) =>
  (await ask(settings, "GET", "/api/v1/auth/me", { token })).status === 200;
export const published = async (settings: Settings) => (await ask(settings, "GET", "/.well-known/jwks.json")).body;
export const algorithmsOf = async (settings: Settings) =>
  (await published(settings)).keys.map(({ alg }: { alg: string }) => alg);

/** Whether the version before this table accepts a token. It knew one issuer, and EdDSA. */
export async function formerAdmits(token: string, secrets: readonly string[], issuer = "postern"): Promise<boolean> {
  const keys = await deriveKeyRing(secrets);
  const key = keys.map(({ signing }) => signing.EdDSA).find(({ kid }) => kid === decodeProtectedHeader(token).kid);
  if (!key) return false;
  const rules = { algorithms: ["EdDSA"], typ: "at+jwt", issuer, audience: "postern", currentDate: new Date() };
  return jwtVerify(token, key.publicKey, rules).then(
    () => true,
    () => false,
  );
}

/** A token for the session of `token`, as the version before this table signed it. */
export async function formerToken(token: string, secret: string, issuer = "postern"): Promise<string> {
  const [{ signing }] = await deriveKeyRing([secret]);
  const { role: _role, scope: _scope, jti: _jti, auth_time: _authTime, amr: _amr, ...claims } = decodeJwt(token);
  return new SignJWT({ ...claims, iss: issuer })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: signing.EdDSA.kid })
    .sign(signing.EdDSA.privateKey);
}

export const depsOf = (settings: Settings, context: ExecutionContext) => createDeps(bindings(settings), context);

export async function minute(settings: Settings): Promise<void> {
  const context = createExecutionContext();
  await (await depsOf(settings, context)).signers.keep();
  await waitOnExecutionContext(context);
}

export const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
export const rowsOf = async () =>
  (await database.prepare("SELECT alg, issuer, seen_at, retired_at FROM token_signers ORDER BY seen_at").all()).results;
