/** Imports of people, sent and run to their end. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDb } from "../../src/base/db/client";
import { createDeps } from "../../src/base/deps";
import { continueImports } from "../../src/service/imports/run";
import type { Import, ImportedLine } from "../../src/service/imports/schemas";
import { type Answer, call, eventually, newEmail, PASSWORD } from "./client";
import { newPlatformKey } from "./platform-keys";
import { maintain } from "./upkeep";

let importer: string | undefined;

/** A platform key that may import people. */
export async function importKey(): Promise<string> {
  importer ??= (await newPlatformKey(["users.write", "users.read", "members.read", "members.write", "tenants.write"]))
    .key;
  return importer;
}

/** A table is emptied between files, and the key with it. */
export const forgetImporter = (): void => {
  importer = undefined;
};

export const ndjson = (people: readonly unknown[]): string => people.map((one) => JSON.stringify(one)).join("\n");

/** Calls a route of imports. */
export const callImports = async (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(method, `/platform/imports${path}`, { token: await importKey(), ...(body === undefined ? {} : { body }) });

/** Sends NDJSON to a route of imports. */
export const sendPeople = async (method: string, path: string, people: string | Uint8Array<ArrayBuffer>) =>
  call(method, `/platform/imports${path}`, {
    token: await importKey(),
    raw: people,
    headers: { "content-type": "application/x-ndjson" },
  });

/** What the minute cron does for imports. */
export async function runImports(): Promise<void> {
  const context = createExecutionContext();
  await maintain(await createDeps(env, context), continueImports);
  await waitOnExecutionContext(context);
}

/** The import, once it has ended. */
export const ended = (id: string): Promise<Import> =>
  eventually(
    "the end of an import",
    async () => {
      await runImports();
      const { body } = await callImports("GET", `/${id}`);
      return body.data.state !== "running" && body.data;
    },
    30_000,
  );

export async function reportOf(id: string, query = "limit=2000"): Promise<ImportedLine[]> {
  return (await callImports("GET", `/${id}/report?${query}`)).body.data;
}

/** Imports people in one part. Returns the import when it has ended, and its report. */
export async function importPeople(
  people: readonly unknown[],
  fields: Record<string, unknown> = {},
): Promise<{ done: Import; report: ImportedLine[] }> {
  const created = await callImports("POST", "", fields);
  if (created.status !== 201) throw new Error(`import answered ${created.status} ${JSON.stringify(created.body)}`);
  const { id } = created.body.data;
  const sent = await sendPeople("PUT", `/${id}/parts/1`, ndjson(people));
  if (sent.status !== 200) throw new Error(`part answered ${sent.status} ${JSON.stringify(sent.body)}`);
  await callImports("POST", `/${id}/start`, { parts: 1 });
  return { done: await ended(id), report: await reportOf(id) };
}

/** A database whose calls fail from the `last` one on, or have their effect and then fail. */
function dying(calls: { made: number; last: number; hasEffect: boolean }) {
  const batch = async (statements: D1PreparedStatement[]) => {
    calls.made += 1;
    if (calls.made > calls.last && !calls.hasEffect) throw new Error("killed");
    const answer = await env.DB.batch(statements);
    if (calls.made > calls.last) throw new Error("killed");
    return answer;
  };
  const counted = { prepare: (text: string) => env.DB.prepare(text), batch } as unknown as D1Database;
  return createDb(counted, { trips: 0, sqlMs: 0, rowsWritten: 0 });
}

interface Kill {
  /** How many runs were killed before. A killed run holds its lease for a minute. */
  kills: number;
  /** After how many calls to D1 the run dies, and whether the call that fails has had its effect. */
  calls: number;
  hasEffect: boolean;
}

/** Runs an import until it is killed. */
export async function runKilled(id: string, { kills, calls, hasEffect }: Kill): Promise<"killed" | "ended"> {
  const real = await createDeps(env, createExecutionContext());
  const db = dying({ made: 0, last: calls, hasEffect });
  await continueImports({ ...real, db, now: () => Date.now() + kills * 120_000 }, 0, "", () => false).catch(
    () => undefined,
  );
  return (await callImports("GET", `/${id}`)).body.data.state === "finished" ? "ended" : "killed";
}

/** Runs an import in runs that are killed, each one call later than the one before. Returns the kills. */
export async function killUntilEnded(id: string): Promise<number> {
  for (let kills = 0; kills < 200; kills += 1) {
    const end = await runKilled(id, { kills, calls: Math.floor(kills / 2), hasEffect: kills % 2 === 1 });
    if (end === "ended") return kills;
  }
  throw new Error("the import does not end");
}

/** Dependencies for a job that the test runs. */
export const runDeps = () => createDeps(env, createExecutionContext());

/** PBKDF2 of PASSWORD, made with Python's hashlib. */
export const IMPORTED_HASH = "$pbkdf2-sha256$i=1000$c29tZXNhbHQ$tialtnUVXehIAQR5duFwgQ/NykFia+syCsDEaTVcejk";
export const TOTP_SECRET = "JBSWY3DPEHPK3PXP";
export const PASSKEY_JWK = {
  kty: "EC",
  crv: "P-256",
  x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
};

export const newExternalId = () => `ext-${crypto.randomUUID()}`;
export const newRow = (fields: Record<string, unknown> & { email?: string } = {}) => ({
  email: newEmail(),
  emailVerified: true,
  ...fields,
});
export const userOf = async (email: string) =>
  (await call("GET", `/platform/users/${encodeURIComponent(`email:${email}`)}`, { token: await importKey() })).body
    .data;
export const readOne = async <T>(sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .first<T>();
export const newTenant = async (fields: object = {}) =>
  (await call("POST", "/platform/tenants", { token: await importKey(), body: { name: "Shop", ...fields } })).body.data;
export const logInAs = (email: string, totp?: string) =>
  call("POST", "/auth/login", { body: { email, password: PASSWORD, ...(totp ? { totp } : {}) } });

/** Ends the imports of a test, and the refused logins that take half a second each: other files share the tables. */
export async function endImports(): Promise<void> {
  await env.DB.batch([
    env.DB.prepare("UPDATE imports SET state = 'stopped', ended_at = 1 WHERE state IN ('open', 'running')"),
    env.DB.prepare("UPDATE users SET password_hash = '' WHERE password_kind IS NOT NULL"),
  ]);
}
