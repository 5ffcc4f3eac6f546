/** A customer of a running service: a tenant with an owner, a domain that the product vouches for, and a connection. */
import { randomUUID } from "node:crypto";
import { type Page, Visitor } from "../sdk/visitor.ts";
import type { DevServer } from "./dev-server.ts";

const PASSWORD = "correct horse battery staple";

/** Signs a person in at the provider's page. Returns the page at which the browser arrives. */
export type LogIn = (browser: Visitor, page: Page, email: string) => Promise<Page>;

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape, and each assertion states its own
  body: any;
}

export interface Customer {
  tenantId: string;
  domain: string;
  /** A call of the API, by whoever has the token. */
  send(method: string, path: string, body?: object, token?: string): Promise<Answer>;
  /** A call of the API by the owner. */
  call(method: string, path: string, body?: object): Promise<Answer>;
  /** Tests a connection. Returns the trace. */
  test(id: string, email: string, logIn: LogIn): Promise<Answer["body"]>;
  /** Signs a person on with a browser. Returns the address to which the service sends it: with a code, or an error. */
  signOn(id: string, email: string, logIn: LogIn, browser?: Visitor): Promise<URL>;
  /** Exchanges the code, in the browser that has it. */
  exchange(browser: Visitor, code: string | null): Promise<Answer>;
}

export async function newCustomer(server: Pick<DevServer, "base" | "platformKey">): Promise<Customer> {
  const api = `${server.base}/api/v1`;
  const send = async (method: string, path: string, body: object | undefined, headers: Record<string, string>) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(api + path, { method, ...sent, headers: { ...headers, ...JSON_TYPE } });
    return { status: answer.status, body: await answer.json() } as Answer;
  };
  const key = { authorization: `Bearer ${await server.platformKey()}` };
  const byKey = async (path: string, body: object) => (await send("POST", `/platform${path}`, body, key)).body.data;
  const [domain, email] = [`${randomUUID()}.example`, `owner-${randomUUID()}@example.com`];
  const { id: userId } = await byKey("/users", { email, password: PASSWORD, emailVerified: true });
  const { id: tenantId } = await byKey("/tenants", { name: "Acme" });
  await byKey(`/tenants/${tenantId}/members`, { user: userId, role: "owner" });
  await byKey(`/tenants/${tenantId}/domains`, { domain, proved: true });
  const { body } = await send("POST", "/auth/login", { email, password: PASSWORD, tenantId }, {});
  const owner = { authorization: `Bearer ${body.data.accessToken}` };

  const arrive = async (browser: Visitor, url: string, person: string, logIn: LogIn) => {
    browser.stopsAt = `${server.base}/console/`;
    const page = await browser.open(url);
    return new URL((page.url.startsWith(browser.stopsAt) ? page : await logIn(browser, page, person)).url);
  };
  return {
    tenantId,
    domain,
    send: (method, path, sent, token) =>
      send(method, path, sent, token === undefined ? {} : { authorization: `Bearer ${token}` }),
    call: (method, path, sent) => send(method, path, sent, owner),
    async test(id, person, logIn) {
      const { url, traceId } = (await send("POST", `/tenant/connections/${id}/test`, {}, owner)).body.data;
      await arrive(new Visitor(), url, person, logIn);
      return (await send("GET", `/tenant/connections/${id}/traces/${traceId}`, undefined, owner)).body.data;
    },
    signOn: (id, person, logIn, browser = new Visitor()) =>
      arrive(browser, `${api}/auth/sign-on?connection=${id}`, person, logIn),
    exchange: (browser, code) => send("POST", "/auth/oauth/exchange", { code }, { cookie: browser.cookies() }),
  };
}

const JSON_TYPE = { "content-type": "application/json" };
