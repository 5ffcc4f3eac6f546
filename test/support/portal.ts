/** Portal links and tokens of a tenant, and the pages of a portal. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";
import type { Permission } from "../../src/base/schemas/roles";
import { call, newAddress } from "./client";

export const ALL: readonly Permission[] = ["webhook.create", "webhook.read", "webhook.update", "webhook.delete"];
export const READ: readonly Permission[] = ["webhook.read"];

interface MadePortal {
  id: string;
  /** The portal token, or the token in the link. */
  token: string;
}

/** Makes a portal token as the caller with `credential`. */
export async function newPortalToken(
  credential: string,
  permissions: readonly Permission[] = READ,
  headers: Record<string, string> = {},
): Promise<MadePortal> {
  const { status, body } = await call("POST", "/portal-tokens", { token: credential, body: { permissions }, headers });
  if (status !== 201) throw new Error(`portal token answered ${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** Makes a portal link as the caller with `credential`. */
export async function newPortalLink(credential: string, body: Record<string, unknown> = {}): Promise<MadePortal> {
  const { status, body: answer } = await call("POST", "/portal-links", {
    token: credential,
    body: { permissions: READ, ...body },
  });
  if (status !== 201) throw new Error(`portal link answered ${status} ${JSON.stringify(answer)}`);
  return { id: answer.data.id, token: new URL(answer.data.url).searchParams.get("token") ?? "" };
}

interface PortalPage {
  status: number;
  headers: Headers;
  html: string;
  location: string | null;
  /** `Set-Cookie` lines. */
  cookies: string[];
}

interface PortalCall {
  /** As the browser sends it back. */
  cookie?: string;
  fields?: Record<string, string>;
  headers?: Record<string, string>;
  /** What differs in the Worker's `env`. */
  variables?: Readonly<Record<string, unknown>>;
}

const ORIGIN = "http://postern.test";

/** Gets a page of a portal, or posts a form to it. */
export const portal = (method: string, path: string, asked?: PortalCall): Promise<PortalPage> =>
  guest(method, `/portal${path}`, asked);

/** As `portal`, for a page of a setup link. */
export const setup = (method: string, path: string, asked?: PortalCall): Promise<PortalPage> =>
  guest(method, `/setup${path}`, asked);

async function guest(method: string, path: string, asked: PortalCall = {}): Promise<PortalPage> {
  const { cookie, fields = {}, headers: given = {}, variables = {} } = asked;
  const context = createExecutionContext();
  const headers = new Headers({ "cf-connecting-ip": newAddress() });
  if (cookie !== undefined) headers.set("cookie", cookie);
  if (method === "POST") headers.set("origin", ORIGIN);
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  const body = method === "POST" ? new URLSearchParams(fields) : null;
  const request = new Request<unknown, IncomingRequestCfProperties>(`${ORIGIN}${path}`, {
    method,
    headers,
    body,
    redirect: "manual",
  });
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  const page = {
    status: response.status,
    headers: response.headers,
    html: await response.text(),
    location: response.headers.get("location"),
    cookies: response.headers.getSetCookie(),
  };
  await waitOnExecutionContext(context);
  return page;
}

/** Opens a link, and returns the cookie of its session. */
export async function openPortal({ token }: MadePortal, variables: Record<string, string> = {}): Promise<string> {
  const { status, cookies } = await portal("POST", "/open", { fields: { token }, variables });
  if (status !== 303) throw new Error(`opening a portal answered ${status}`);
  return cookies[0]?.split(";")[0] ?? "";
}
