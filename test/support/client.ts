/** The API as a client sees it, and people to call it as. */
import { env, exports } from "cloudflare:workers";
import { expectDocumented } from "./contract";
import { networkOf, type Registered, readRegistered, registerAs } from "./fixtures";

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape, and each assertion states its own
  body: any;
}

let addresses = 0;

/** A client's IP address that no other test has. */
export function newAddress(): string {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 0xff}`;
}

/** Where the calls of the current test file come from. */
export let ownAddress = newAddress();

/** What the first registration in this runtime stored. */
let registered: Registered | null = null;

/** Gives a test file an address of its own, because limits per address would count several files together. */
export function beginFile(): void {
  ownAddress = newAddress();
}

interface CallOptions {
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: BodyInit;
  token?: string | undefined;
  headers?: Record<string, string>;
  /** Whether a redirection is followed, as by default, or is itself the answer. */
  redirect?: "follow" | "manual";
}

function bodyOf({ headers }: Response, text: string): unknown {
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) return JSON.parse(text);
  return type === "" ? undefined : text;
}

/**
 * Calls the Worker and checks its response by the OpenAPI document. `path` is under `/api/v1`, or at the root if it
 * starts with `//`.
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const headers = new Headers({ "cf-connecting-ip": ownAddress, ...options.headers });
  const body = options.raw ?? (options.body === undefined ? null : JSON.stringify(options.body));
  if (options.body !== undefined) headers.set("content-type", "application/json");
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  const url = path.startsWith("//") ? `http://postern.test${path.slice(1)}` : `http://postern.test/api/v1${path}`;
  const request = new Request(url, { method, headers, body, redirect: options.redirect ?? "follow" });
  const response = await exports.default.fetch(request);
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: bodyOf(response, text),
  };
  await expectDocumented(request, answer);
  return answer;
}

let people = 0;
export const newEmail = (): string => `user-${++people}-${crypto.randomUUID()}@example.com`;
export const PASSWORD = "correct horse battery staple";

export interface Person {
  email: string;
  token: string;
  refreshToken: string;
  userId: string;
  tenantId: string;
}

interface SignUp {
  headers?: Record<string, string>;
  email?: string;
  invitationToken?: string;
}

/**
 * A new owner of a new tenant, or a new member of the tenant of an invitation, signed in. The first one, and one with
 * `headers`, registers; the rest are created as registration would have left them.
 */
export async function signUp({ headers, email = newEmail(), invitationToken }: SignUp = {}): Promise<Person> {
  if (registered && !headers)
    return registerAs({ email, invitationToken }, { ...registered, ...networkOf(ownAddress) });
  const registrant = { email, password: PASSWORD, invitationToken };
  const { status, body } = await call("POST", "/auth/register", { body: registrant, ...(headers ? { headers } : {}) });
  if (status !== 201) throw new Error(`register answered ${status} ${JSON.stringify(body)}`);
  const { accessToken: token, refreshToken } = body.data;
  const me = await call("GET", "/auth/me", { token });
  if (!headers) registered = await readRegistered(email);
  return { email, token, refreshToken, userId: me.body.data.id, tenantId: me.body.data.tenant.id };
}

/** A new owner of a new tenant, with a verified address. */
export async function signUpVerified(): Promise<Person> {
  const person = await signUp();
  await verify(person.email);
  return person;
}

/** Another session of a person, whose address counts as verified from now on. */
export async function logIn(
  person: Person,
  password = PASSWORD,
  fields: Record<string, unknown> = {},
): Promise<Person> {
  await verify(person.email);
  const { status, body } = await call("POST", "/auth/login", { body: { email: person.email, password, ...fields } });
  if (status !== 200) throw new Error(`login answered ${status} ${JSON.stringify(body)}`);
  return { ...person, token: body.data.accessToken, refreshToken: body.data.refreshToken };
}

/** Marks an address verified, as the database would hold it. */
export async function verify(email: string): Promise<void> {
  await env.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ? AND email_verified_at IS NULL")
    .bind(email)
    .run();
}

/** Gives somebody another role, as the database would hold it. */
export async function setRole(person: Person, role: string): Promise<void> {
  await env.DB.prepare("UPDATE memberships SET role = ? WHERE tenant_id = ? AND user_id = ?")
    .bind(role, person.tenantId, person.userId)
    .run();
}

const POLL_MS = 50;

/** Waits for a condition that real queues bring about. Fails with its name when it is not met in time. */
export async function eventually<T>(
  what: string,
  read: () => Promise<T | null | undefined | false>,
  withinMs = 20_000,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value) return value;
    if (performance.now() > end) throw new Error(`did not happen within ${withinMs} ms: ${what}`);
    await scheduler.wait(POLL_MS);
  }
}
