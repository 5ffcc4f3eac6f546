/** Catalogues of event types: a slug that nobody has, switching one on, and its pages. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "../../src";
import { type Answer, call, newAddress, type Person } from "./client";

export const newSlug = (): string => `s-${crypto.randomUUID()}`;

export const changeCatalogue = ({ token }: Person, catalog: object): Promise<Answer> =>
  call("PATCH", "/tenant/event-types", { token, body: { catalog } });

/** Makes the catalogue of a tenant public. Returns its slug. */
export async function openCatalogue(person: Person, fields: object = {}): Promise<string> {
  const slug = newSlug();
  const { status } = await changeCatalogue(person, { public: true, slug, ...fields });
  if (status !== 200) throw new Error(`catalogue answered ${status}`);
  return slug;
}

interface Browsing {
  ip?: string;
  variables?: Record<string, string>;
  headers?: Record<string, string>;
}

/** What somebody without a session gets below `/catalog/`, also with some of the Worker's variables changed. */
export async function browse(
  path: string,
  { ip = newAddress(), variables = {}, headers = {} }: Browsing = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const context = createExecutionContext();
  const url = `http://postern.test/catalog/${path}`;
  const request = new Request<unknown, IncomingRequestCfProperties>(url, {
    headers: { "cf-connecting-ip": ip, ...headers },
  });
  const response = await worker.fetch(request, { ...env, ...variables } as Env, context);
  const page = { status: response.status, headers: response.headers, text: await response.text() };
  await waitOnExecutionContext(context);
  return page;
}
