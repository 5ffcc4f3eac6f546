/** Calls to the Worker under other settings. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";
import type { RuleName } from "../../src/base/limits/rules";
import type { Answer } from "./client";

/** The limits of `/oauth` and of clients; see test/oauth. */
export type OAuthRule = Extract<
  RuleName,
  | "authorize"
  | "consent"
  | "token"
  | "tokenPublic"
  | "clientAuth"
  | "userinfo"
  | "introspect"
  | "writeClients"
  | "clientMetadata"
  | "clientMetadataOfHost"
  | "registerClient"
  | "pushRequest"
  | "deviceStart"
  | "devices"
  | "deviceCode"
  | "deviceCodeOfPerson"
>;

export interface OverriddenCall {
  method?: string;
  /** The path from the root. */
  path: string;
  body?: unknown;
  /** In place of the body. */
  form?: Record<string, string>;
  token?: string | undefined;
  ip?: string;
  headers?: Record<string, string>;
}

/** Calls that count towards the limits of signing on, each from an address of its own. */
export const signOnCalls = (newIp: () => string) => ({
  signOn: () => ({ method: "GET", path: `/api/v1/auth/sign-on?ticket=${"x".repeat(1001)}`, ip: newIp() }),
  discover: () => ({ path: "/api/v1/auth/sign-on/discover", ip: newIp() }),
  signOnMail: () => ({ path: "/api/v1/auth/sign-on/mail", ip: newIp() }),
  signOnLogout: () => ({ path: `/api/v1/auth/sign-on/${crypto.randomUUID()}/logout`, ip: newIp() }),
});

/** Calls the Worker with some of its variables or bindings changed, and waits for the work after the response. */
export async function callUnder(
  variables: Record<string, unknown>,
  { method = "POST", path, body = {}, form, token, ip = "203.0.113.250", headers: given = {} }: OverriddenCall,
): Promise<Answer> {
  const context = createExecutionContext();
  const headers = new Headers({
    ...(form ? {} : { "content-type": "application/json" }),
    "cf-connecting-ip": ip,
    ...given,
  });
  if (token) headers.set("authorization", `Bearer ${token}`);
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test${path}`, {
    method,
    headers,
    body: method === "GET" ? null : form ? new URLSearchParams(form) : JSON.stringify(body),
  });
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  const answer = { status: response.status, headers: response.headers, body: await response.json() };
  await waitOnExecutionContext(context);
  return answer;
}

/** Gets a page of the console with some of the Worker's variables changed, or posts a form to it. */
export async function pageUnder(
  variables: Record<string, string>,
  path: string,
  { fields, ip = "203.0.113.251" }: { fields?: Record<string, string>; ip?: string } = {},
): Promise<{ status: number; html: string; headers: Headers }> {
  const context = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/console${path}`, {
    method: fields ? "POST" : "GET",
    headers: { "cf-connecting-ip": ip, ...(fields ? { origin: "http://postern.test" } : {}) },
    body: fields ? new URLSearchParams(fields) : null,
    redirect: "manual",
  });
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  const page = { status: response.status, html: await response.text(), headers: response.headers };
  await waitOnExecutionContext(context);
  return page;
}
