/** The pages of the console that no walk has led to, each with something to show. */
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { appPages } from "./app-pages.ts";
import { AUDITED_PAGES, addressOf, type Things } from "./console-pages.ts";
import { OPERATOR } from "./dev-server.ts";
import { inspect, inspected } from "./inspect.ts";
import { CLIENT } from "./issuer.ts";
import { PASSWORD, type Stage, signInOn } from "./stage.ts";

const STEP_MS = 30_000;
/** Without a sign-in to an app, a code of a provider, or a mailed token, they say what went wrong. */
const REFUSED = ["/account/sign-on/required", "/console/oauth?error=x", "/console/remove-two-factor?token=x"];

type Send = (path: string, body: object | string, token?: string, method?: string) => Promise<Record<string, string>>;

const sender =
  ({ server }: Stage): Send =>
  async (path, body, token, method = "POST") => {
    const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${server.base}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect([path, answer.ok]).toEqual([path, true]);
    return ((await answer.json()) as { data: Record<string, string> }).data;
  };

/** The id in the first link of a page that fits. */
async function idIn(page: Page, address: string, link: RegExp): Promise<string> {
  await page.goto(address);
  return link.exec(await page.content())?.[1] ?? "";
}

/** One of each thing in the operator's tenant and in the service. The code was used already in this half minute. */
async function makeThings(stage: Stage, page: Page, totpSecret: string): Promise<Things> {
  const send = sender(stage);
  const console = `${stage.server.base}/console`;
  const totp = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: Date.now() + STEP_MS });
  const { accessToken } = await send("/auth/login", { email: OPERATOR, password: PASSWORD, totp });
  const make = (path: string, body: object, method?: string) => send(path, body, accessToken, method);
  const feed = await make("/feeds", { name: "warehouse", events: ["*"] });
  await make("/listen", { name: "laptop", events: ["order.*"] });
  const schema = { type: "object", properties: { total: { type: "integer" } } };
  await make("/event-types", { name: "order.paid", description: "Paid.", schema, examples: [{ total: 42 }] });
  await make("/tenant/event-types", { catalog: { public: true, slug: "acme", title: "Acme" } }, "PATCH");
  const source = await make("/sources", { name: "shop", provider: "github", secrets: ["a secret"] });
  await make("/portal-links", { permissions: ["webhook.read"] });
  await make("/tenant/domains", { domain: "acme.example" });
  const { id: clientId, secret: clientSecret } = CLIENT;
  const oidc = { issuer: stage.issuer.url, clientId, clientSecret };
  const connection = await make("/tenant/connections", { name: "Okta", oidc });
  const test = await make(`/tenant/connections/${connection.id}/test`, {});
  const key = await make("/platform/keys", { name: "shop", scopes: ["users.write", "members.read", "tenants.write"] });
  await make(`/platform/keys/${key.id}/rotate`, { overlapSeconds: 3600 });
  const app = await make("/platform/clients", { name: "Shop", redirectUrls: ["https://shop.example/callback"] });
  const scopes = [{ name: "notes.read", description: "Read your notes" }];
  const api = await make("/platform/resources", { name: "Notes", identifier: "https://notes.example/mcp", scopes });
  const agent = "https://agent.example/client.json";
  const document = { client_id: agent, client_name: "Agent", redirect_uris: ["http://127.0.0.1/callback"] };
  const listed = await make("/platform/clients", { clientId: agent, document });
  await make("/tenant/clients", { name: "Wiki", redirectUrls: ["https://wiki.example/callback"] });
  await make(`/tenant/apps/${app.id}`, { state: "blocked" }, "PUT");
  const people = await send("/platform/imports", { name: "From Auth0" }, key.key);
  await appPages(stage, page, { email: OPERATOR, operatorToken: accessToken ?? "", send });
  const webhook = await idIn(page, `${console}/webhooks?q=billing`, /webhooks\/([\w-]{36})"/);
  const person = await idIn(page, `${console}/operator?q=${encodeURIComponent(OPERATOR)}`, /people\/([\w-]{36})"/);
  return {
    webhook,
    feed: feed.id ?? "",
    key: key.id ?? "",
    import: people.id ?? "",
    client: app.id ?? "",
    api: api.id ?? "",
    listed: listed.id ?? "",
    source: source.id ?? "",
    connection: connection.id ?? "",
    trace: test.traceId ?? "",
    attempt: await idIn(page, `${console}/webhooks/${webhook}`, /attempts\/([\w-]{36})"/),
    event: await idIn(page, `${console}/events`, /events\/([\w-]{36})"/),
    person,
    tenant: await idIn(page, `${console}/operator/people/${person}`, /operator\/tenants\/([\w-]{36})"/),
    notMe: new URL(await stage.server.mailedLink(OPERATOR, /Two-factor .* turned on/)).searchParams.get("token") ?? "",
  };
}

/** The page that asks for a second factor. */
async function signInCode(stage: Stage): Promise<void> {
  const page = await stage.open();
  await page.goto(`${stage.server.base}/console/sign-in`);
  await signInOn(page, OPERATOR);
  await inspect(page, "sign-in-code", "Two-factor code");
  await page.context().close();
}

/** Opens every page that has not been inspected yet. Then all of the service have been. */
export async function otherPages(stage: Stage, page: Page, totpSecret: string): Promise<void> {
  await signInCode(stage);
  const things = await makeThings(stage, page, totpSecret);
  for (const route of AUDITED_PAGES.filter((known) => !inspected.has(known))) {
    const address = addressOf(route, things);
    const answer = await page.goto(`${stage.server.base}${address}`);
    expect([address, answer?.status()]).toEqual([address, REFUSED.includes(route) ? 400 : 200]);
    await inspect(page, route.slice(1).replaceAll(/\W+/g, "-"));
  }
  expect(AUDITED_PAGES.filter((route) => !inspected.has(route))).toEqual([]);
}
