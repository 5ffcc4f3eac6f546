/** Tenants with a provider of their own, and people whom it vouches for: from the verified word to the exchange. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import {
  type ConnectionSettings,
  DEFAULT_SETTINGS,
  type StoredProvider,
} from "../../src/base/schemas/connection-settings";
import { RESULT_COOKIE } from "../../src/identity/providers/providers";
import { sealResult } from "../../src/identity/providers/sign-in-result";
import type { SignedOn } from "../../src/sign-on/signed-on";
import type { Answer, Person } from "./client";
import { signUpVerified } from "./client";
import { vouchedDomain } from "./domains";
import { type Browser, newBrowser } from "./oauth";

export interface Connection {
  id: string;
  tenantId: string;
  /** Proved, and of this tenant alone. */
  domain: string;
}

const HOUR_MS = 3_600_000;
const ISSUER = "https://id.issuer.example";
export const PROVIDER: StoredProvider = {
  issuer: ISSUER,
  authorizationEndpoint: `${ISSUER}/authorize`,
  tokenEndpoint: `${ISSUER}/token`,
  jwksUri: `${ISSUER}/jwks`,
  userinfoEndpoint: null,
  algorithms: ["RS256"],
  isBasicOnly: false,
  namesIssuer: false,
};

/** An active connection of the tenant, with a domain that it has proved. */
export async function newConnection(tenantId: string, settings: Partial<ConnectionSettings> = {}): Promise<Connection> {
  const [id, now] = [crypto.randomUUID(), Date.now()];
  const oidc = { ...DEFAULT_SETTINGS.oidc, issuer: ISSUER, clientId: "an-id" };
  await env.DB.prepare(
    `INSERT INTO connections (id, tenant_id, name, kind, provider, state, needs_review, version, generation, settings,
       document, document_read_at, tested_at, tested_version, created_at, updated_at)
     VALUES (?1, ?2, 'Acme', 'oidc', 'other', 'active', 0, 1, 1, ?3, ?4, ?5, ?5, 1, ?5, ?5)`,
  )
    .bind(id, tenantId, JSON.stringify({ ...DEFAULT_SETTINGS, oidc, ...settings }), JSON.stringify(PROVIDER), now)
    .run();
  return { id, tenantId, domain: await vouchedDomain(tenantId) };
}

/** The verified word of the connection's provider about somebody; without more, about somebody new. */
export const wordOf = ({ id, tenantId, domain }: Connection, more: Partial<SignedOn> = {}): SignedOn => ({
  connectionId: id,
  tenantId,
  generation: 1,
  version: 1,
  subject: `sub-${crypto.randomUUID()}`,
  email: `ada-${crypto.randomUUID()}@${domain}`,
  emailVerified: null,
  hostedDomain: null,
  name: "Ada Lovelace",
  role: { role: "member", rule: null },
  claimRule: null,
  acr: null,
  amr: [],
  hasTrustedMfa: false,
  authenticatedAt: null,
  sid: null,
  endsAt: Date.now() + 12 * HOUR_MS,
  invitationHash: null,
  ...more,
});

/** The browser to which the callback has given this word, and the code of its page. */
export async function arrive(
  word: SignedOn,
  variables: Record<string, unknown> = {},
): Promise<{ browser: Browser; code: string }> {
  const deps = await createDeps({ ...env, ...variables } as Env, createExecutionContext());
  const { code, sealed } = await sealResult(deps, "signed on", word);
  const browser = newBrowser(variables);
  browser.jar.set(`__Host-postern-${RESULT_COOKIE}`, sealed);
  return { browser, code };
}

/** Exchanges the code of a sign-on. */
export async function signOnWith(
  word: SignedOn,
  fields: Record<string, unknown> = {},
  variables: Record<string, unknown> = {},
): Promise<Answer> {
  const { browser, code } = await arrive(word, variables);
  return browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code, ...fields } });
}

/** As `signOnWith`, of somebody who gets in. */
export async function signOnAs(word: SignedOn): Promise<Person> {
  const { status, body } = await signOnWith(word);
  if (status !== 200) throw new Error(`the exchange answered ${status} ${JSON.stringify(body)}`);
  const { accessToken: token, refreshToken } = body.data;
  const claims = JSON.parse(atob((token as string).split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""));
  return { email: word.email ?? "", token, refreshToken, userId: claims.sub, tenantId: claims.tid };
}

/** A tenant with an owner, a connection, and a member whom it has signed on. */
export async function signedOnMember(role: "member" | "admin" = "member") {
  const owner = await signUpVerified();
  const connection = await newConnection(owner.tenantId);
  const word = wordOf(connection, { role: { role, rule: 0 } });
  return { owner, connection, word, member: await signOnAs(word) };
}

/** The reason in the trace of a refused exchange. */
export async function reasonOf(answer: Answer): Promise<string | null> {
  const trace = answer.body.details?.find(({ path }: { path: string }) => path === "trace")?.message ?? "";
  return env.DB.prepare("SELECT reason FROM sign_on_traces WHERE id = ?").bind(trace).first<string>("reason");
}

/** The word about somebody whom a new connection of the tenant knows already, as what their account is. */
export async function knownWord({ userId, tenantId, email }: Pick<Person, "userId" | "tenantId" | "email">) {
  const connection = await newConnection(tenantId);
  const word = wordOf(connection, { email, role: { role: "viewer", rule: 0 } });
  await env.DB.prepare(
    `INSERT INTO connection_identities (connection_id, generation, subject, id, user_id, email, is_maker, created_at)
     VALUES (?, 1, ?, ?, ?, ?, 0, ?)`,
  )
    .bind(connection.id, word.subject, crypto.randomUUID(), userId, email, Date.now())
    .run();
  return word;
}

/** The first row of a query. */
export const one = <Row>(sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .first<Row>();

/** The membership that somebody has. */
export const memberOf = (tenantId: string, userId: string) =>
  one<{ role: string; connectionId: string | null; roleBy: string | null }>(
    `SELECT role, connection_id AS connectionId, role_by AS roleBy FROM memberships
     WHERE tenant_id = ? AND user_id = ?`,
    tenantId,
    userId,
  );

/** Gives somebody an address in the connection's domain. */
export async function moveInto({ domain }: Connection, person: Person): Promise<Person> {
  const email = `person-${crypto.randomUUID()}@${domain}`;
  await env.DB.prepare("UPDATE users SET email = ? WHERE id = ?").bind(email, person.userId).run();
  return { ...person, email };
}

/** A tenant with an owner and a connection. */
export async function newTenant(settings: Parameters<typeof newConnection>[1] = {}) {
  const owner = await signUpVerified();
  return { owner, connection: await newConnection(owner.tenantId, settings) };
}

/** What comes of an exchange: the way in, the reason for which it is refused, or what it asks for. */
export async function outcomeOf(answer: Answer): Promise<string | null> {
  if (answer.status === 200) return "in";
  return answer.status === 403 ? reasonOf(answer) : answer.body.code;
}
