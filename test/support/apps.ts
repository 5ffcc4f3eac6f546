/** Apps that people sign in to, with a library of the field as their client, and browsers that go to and fro. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import * as oauth from "oauth4webapi";
import worker from "../../src";
import { call, newAddress, PASSWORD, type Person } from "./client";
import { operator } from "./operators";
import { newPlatformKey } from "./platform-keys";

export const ISSUER = "https://postern.test";
export const CALLBACK = "https://shop.example/callback";

export interface App {
  id: string;
  secret?: string;
}

let key: Promise<string> | undefined;
/** A platform key that manages clients. */
export const clientsKey = (): Promise<string> => {
  key ??= newPlatformKey(["clients.read", "clients.write"]).then((made) => made.key);
  return key;
};
/** Each file has operators of its own. */
export const forgetClientsKey = (): void => {
  key = undefined;
};

/** Registers an app. */
export async function newApp(fields: Record<string, unknown> = {}): Promise<App> {
  const body = { name: "Shop", redirectUrls: [CALLBACK], ...fields };
  // Only operators register apps that ask nobody.
  const token = fields["consent"] === "skip" ? (await operator()).token : await clientsKey();
  const answer = await call("POST", "/platform/clients", { token, body });
  if (answer.status !== 201) throw new Error(`client answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

interface Page {
  status: number;
  headers: Headers;
  html: string;
  /** Where a redirect leads, or where the page goes on. */
  next: string | null;
}

/** A browser with an address of its own. `variables` are settings of the service that differ for it. */
export class Browser {
  readonly jar = new Map<string, string>();
  readonly address = newAddress();

  constructor(private readonly variables: Record<string, string> = {}) {}

  async open(
    url: string,
    init: { form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = new Headers({ "cf-connecting-ip": this.address, ...(cookie ? { cookie } : {}) });
    if (init.form) headers.set("origin", ISSUER);
    for (const [name, value] of Object.entries(init.headers ?? {})) headers.set(name, value);
    const body = init.form ? new URLSearchParams(init.form) : null;
    const request = new Request(new URL(url, ISSUER), {
      method: body ? "POST" : "GET",
      headers,
      body,
      redirect: "manual",
    });
    const response = await this.respond(request);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0/i.test(line)) this.jar.delete(pair.slice(0, at));
      else this.jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const refresh = response.headers.get("refresh")?.replace(/^0; url=/, "") ?? null;
    const next = response.headers.get("location") ?? refresh;
    return { status: response.status, headers: response.headers, html: await response.text(), next };
  }

  private async respond(request: Request): Promise<Response> {
    if (Object.keys(this.variables).length === 0) return exports.default.fetch(request);
    const context = createExecutionContext();
    const response = await worker.fetch(request as never, { ...env, ...this.variables } as Env, context);
    await waitOnExecutionContext(context);
    return response;
  }

  /** Opens an address, and goes on while the service leads to pages of its own. */
  async follow(url: string): Promise<{ page: Page; url: string }> {
    let at = url;
    let page = await this.open(at);
    while (page.next !== null && new URL(page.next, ISSUER).origin === ISSUER) {
      at = page.next;
      page = await this.open(at);
    }
    return { page, url: at };
  }
}

/** The value of a hidden field. */
export const fieldOf = (html: string, name: string): string =>
  html.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1]?.replaceAll("&amp;", "&") ?? "";

/** The first page asks for the address alone while any tenant signs its people on. */
const asksAddress = (html: string): boolean => html.includes('action="/account/sign-in/address');

/** Whether it is the first page of a sign-in. */
export const asksSignIn = (html: string): boolean => html.includes("current-password") || asksAddress(html);

/** Signs in on the page that `html` shows, or after it. Returns where it goes on. */
export async function signInOn(browser: Browser, html: string, person: Pick<Person, "email">): Promise<Page> {
  let shown = html;
  if (asksAddress(html)) {
    const action = html.match(/action="(\/account\/sign-in\/address[^"]*)"/)?.[1]?.replaceAll("&amp;", "&") ?? "/";
    const form = { email: person.email, to: fieldOf(html, "to") };
    shown = (await browser.open(action, { form })).html;
  }
  const form = { email: person.email, password: PASSWORD, to: fieldOf(shown, "to") };
  return browser.open("/account/sign-in", { form });
}

/** Answers the page that asks. Returns the page that goes on to the app. */
export const answerOn = (browser: Browser, html: string, answer: "allow" | "deny"): Promise<Page> =>
  browser.open("/account/consent", { form: { ask: fieldOf(html, "ask"), answer } });

/** Somebody enters the code that a device shows, and signs in, until the page that asks. */
export async function enterCode(userCode: unknown, person: Pick<Person, "email">, browser = new Browser()) {
  const entered = await browser.open("/account/device", { form: { user_code: String(userCode) } });
  let { page } = await browser.follow(entered.next ?? "/nowhere");
  if (asksSignIn(page.html)) {
    const signed = await signInOn(browser, page.html, person);
    ({ page } = await browser.follow(signed.next ?? "/nowhere"));
  }
  return { browser, page };
}

const customFetch = (url: string, init: RequestInit): Promise<Response> => {
  const headers = new Headers(init.headers);
  if (!headers.has("cf-connecting-ip")) headers.set("cf-connecting-ip", newAddress());
  return exports.default.fetch(new Request(url, { ...init, headers } as RequestInit));
};
export const HTTP = { [oauth.customFetch]: customFetch as never };

export async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(ISSUER);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, HTTP));
}

/** A request of an app, with what it keeps until the answer. */
export interface Flow {
  server: oauth.AuthorizationServer;
  client: oauth.Client;
  proof: oauth.ClientAuth;
  url: string;
  verifier: string;
  state: string;
  nonce: string;
}

export async function begin(app: App, changes: Record<string, string | null> = {}): Promise<Flow> {
  const server = await discover();
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const params: Record<string, string | null> = {
    client_id: app.id,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid profile email tenant",
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...changes,
  };
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== null);
  const proof = app.secret === undefined ? oauth.None() : oauth.ClientSecretPost(app.secret);
  const url = `${server.authorization_endpoint}?${new URLSearchParams(given)}`;
  return { server, client: { client_id: app.id }, proof, url, verifier, state, nonce };
}

/** A person signs in to an app in a new browser, and allows what it asks for. Returns where the app is sent. */
export async function signInTo(flow: Flow, person: Pick<Person, "email">, browser = new Browser()): Promise<URL> {
  let { page } = await browser.follow(flow.url);
  if (asksSignIn(page.html)) {
    const signed = await signInOn(browser, page.html, person);
    ({ page } = await browser.follow(signed.next ?? "/nowhere"));
  }
  if (page.html.includes('name="ask"')) page = await answerOn(browser, page.html, "allow");
  if (page.next === null) throw new Error(`the sign-in ended at ${page.status} ${page.html.slice(0, 2000)}`);
  return new URL(page.next);
}

/** The app exchanges its code, as the library does it, which checks state, issuer, ID token and its signature. */
export async function redeem(
  { server, client, proof, state, ...flow }: Flow,
  answered: URL,
  sent: { hasNoPkce?: boolean; hasNoNonce?: boolean } = {},
) {
  const answer = oauth.validateAuthResponse(server, client, answered, state);
  const verifier = sent.hasNoPkce ? oauth.nopkce : flow.verifier;
  const response = await oauth.authorizationCodeGrantRequest(server, client, proof, answer, CALLBACK, verifier, HTTP);
  const expected = sent.hasNoNonce ? {} : { expectedNonce: flow.nonce };
  const options = { ...expected, requireIdToken: true };
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, options);
  await oauth.validateApplicationLevelSignature(server, response, HTTP);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (!claims) throw new Error("no ID token");
  return { tokens, claims };
}

/** What userinfo answers, as the library reads it. */
export async function userinfoOf({ server, client }: Flow, accessToken: string, sub: string) {
  const response = await oauth.userInfoRequest(server, client, accessToken, HTTP);
  return oauth.processUserInfoResponse(server, client, sub, response);
}

/** A request for tokens by hand. */
export const postToken = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  postTo("/oauth/token", form, headers);

/** The fields with which an app proves itself. */
export const proofOf = (app: App): Record<string, string> => ({
  client_id: app.id,
  ...(app.secret === undefined ? {} : { client_secret: app.secret }),
});

/** A form that an app sends by hand. */
export async function postTo(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await exports.default.fetch(
    new Request(`${ISSUER}${path}`, {
      method: "POST",
      headers: { "cf-connecting-ip": newAddress(), ...headers },
      body: new URLSearchParams(form),
    }),
  );
  const text = await response.text();
  const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, body };
}

/** The exchange of a code by hand. */
export const exchangeOf = (app: App, { verifier }: Flow, answered: URL): Record<string, string> => ({
  grant_type: "authorization_code",
  ...proofOf(app),
  code: answered.searchParams.get("code") ?? "",
  redirect_uri: CALLBACK,
  code_verifier: verifier,
});

export const rowsOf = async (sql: string, ...values: string[]) =>
  (
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results;

/** A finished sign-in, with what the app got. */
export async function finished(
  app: App,
  person: Pick<Person, "email">,
  browser = new Browser(),
  changes: Record<string, string | null> = {},
) {
  const flow = await begin(app, changes);
  const answered = await signInTo(flow, person, browser);
  return { flow, answered, browser, ...(await redeem(flow, answered)) };
}
