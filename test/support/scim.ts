/** Directories that call the SCIM server of a tenant's connection. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src/index";
import { type Answer, call, newAddress, type Person } from "./client";
import { type Connection, newTenant } from "./signed-on";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export interface Directory {
  owner: Person;
  connection: Connection;
  token: string;
}

/** Makes a token by the API. */
export async function newToken({ token }: Pick<Person, "token">, connectionId: string): Promise<string> {
  const { status, body } = await call("POST", `/tenant/connections/${connectionId}/scim-tokens`, { token, body: {} });
  if (status !== 201) throw new Error(`the token answered ${status} ${JSON.stringify(body)}`);
  return body.data.token;
}

/** A tenant with a proved domain and a directory. */
export async function newDirectory(settings: Parameters<typeof newTenant>[0] = {}): Promise<Directory> {
  const { owner, connection } = await newTenant(settings);
  return { owner, connection, token: await newToken(owner, connection.id) };
}

interface Request {
  body?: unknown;
  headers?: Record<string, string>;
  /** Bindings that differ. */
  variables?: Record<string, unknown>;
}

/** Calls the SCIM server, as a directory does. */
export async function scim(
  { connection, token }: Pick<Directory, "connection" | "token">,
  method: string,
  path: string,
  { body, headers, variables = {} }: Request = {},
): Promise<Answer> {
  const sent = new Headers({ "cf-connecting-ip": newAddress(), authorization: `Bearer ${token}`, ...headers });
  if (body !== undefined && !sent.has("content-type")) sent.set("content-type", "application/scim+json");
  const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
  const url = `http://postern.test/scim/v2/${connection.id}${path}`;
  const context = createExecutionContext();
  const request = new Request(url, { method, headers: sent, body: text });
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  const answered = await response.text();
  await waitOnExecutionContext(context);
  return {
    status: response.status,
    headers: response.headers,
    body: answered === "" ? undefined : JSON.parse(answered),
  };
}

/** Somebody new with an address of the directory's domain. */
export function newUser({ connection }: Pick<Directory, "connection">, more: Record<string, unknown> = {}) {
  const email = `p-${crypto.randomUUID()}@${connection.domain}`;
  return {
    schemas: [USER],
    userName: email,
    externalId: crypto.randomUUID(),
    name: { givenName: "Grace", familyName: "Hopper" },
    emails: [{ value: email, type: "work", primary: true }],
    active: true,
    ...more,
  };
}

/** Brings somebody new. Returns the resource. */
export async function bring(directory: Directory, more: Record<string, unknown> = {}) {
  const user = newUser(directory, more);
  const { status, body } = await scim(directory, "POST", "/Users", { body: user });
  if (status !== 201) throw new Error(`the directory got ${status} ${JSON.stringify(body)}`);
  return body;
}

export const patch = (directory: Directory, id: string, ...operations: object[]): Promise<Answer> =>
  scim(directory, "PATCH", `/Users/${id}`, { body: { schemas: [PATCH], Operations: operations } });

export const deactivate = (directory: Directory, id: string): Promise<Answer> =>
  patch(directory, id, { op: "replace", path: "active", value: false });

/** What is stored of a record. */
export const recordOf = (connectionId: string, id: string) =>
  env.DB.prepare(
    "SELECT state, reason, user_id AS userId, version FROM directory_users WHERE connection_id = ? AND id = ?",
  )
    .bind(connectionId, id)
    .first<{ state: string; reason: string | null; userId: string; version: number }>();
