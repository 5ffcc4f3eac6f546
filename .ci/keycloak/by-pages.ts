/** The customer's IT sets Keycloak up in Chromium, by the pages of a setup link, and makes the usual mistakes. */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { CHROMIUM, FLAGS } from "../../test/browser/chromium.ts";
import type { Customer } from "../../test/browser/customer.ts";
import { type Keycloak, makePerson, PASSWORD } from "./start.ts";

const NAME = "Our Keycloak";
const CLIENT_ID = "by-pages";
const SECRET = "a secret that the client has";
const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

type Check = (what: string, ok: boolean, detail?: unknown) => void;

/** `pictures`: a folder for screenshots of each page. */
export async function setUpByPages(acme: Customer, keycloak: Keycloak, check: Check, pictures?: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 1_200, height: 1_000 } });
  page.setDefaultTimeout(60_000);
  try {
    const { url } = (await acme.call("POST", "/tenant/setup-links", { may: ["connection", "domains"] })).body.data;
    await walk(page, url, { acme, keycloak, look: lookAt(page, check, pictures) });
  } finally {
    await browser.close();
  }
}

/** Looks at a page: it must say `words`, and axe-core must find nothing. */
const lookAt = (page: Page, check: Check, pictures?: string) => async (name: string, words: RegExp) => {
  const said = (await page.locator("body").innerText()).replaceAll(/\s+/g, " ");
  check(`${name}: ${words.source}`, words.test(said), said);
  await page.evaluate(AXE);
  const found: { id: string }[] = await page.evaluate("axe.run().then(({ violations }) => violations)");
  check(`${name}: axe-core finds nothing`, found.length === 0, found);
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
};

interface Walk {
  acme: Customer;
  keycloak: Keycloak;
  look: (name: string, words: RegExp) => Promise<void>;
}

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const follow = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first().click();

const section = (page: Page, id: string) => page.locator(`section[aria-labelledby="${id}"]`);

async function walk(page: Page, url: string, { acme, keycloak, look }: Walk): Promise<void> {
  await page.goto(url);
  const at = await enter(page, keycloak, look);
  await mistakeAtKeycloak(page, at, { acme, keycloak, look });
  await mistakesInTests(page, at, { acme, keycloak, look });
  await page.goto(at);
  await look("to-review", /An owner looks at this connection/);
}

/** Enters what Keycloak says, with another issuer first. Returns the address of the connection. */
async function enter(page: Page, { issuer }: Keycloak, look: Walk["look"]): Promise<string> {
  await page.getByRole("heading", { name: "Single sign-on" }).waitFor();
  await look("opened", /No connection yet/);
  await follow(page, "New connection");
  await follow(page, "Keycloak");
  await page.getByLabel("Name").fill(NAME);
  await page.getByLabel("Client ID").fill(CLIENT_ID);
  const create = async (entered: string) => {
    await page.getByLabel("Issuer").fill(entered);
    await page.getByLabel("Client secret").fill("a mistyped secret");
    await press(page, "Create connection");
  };
  await create(new URL(issuer).origin);
  await look("wrong-issuer", /Answers 404 .* with its path/);
  await create(issuer);
  await page.getByRole("heading", { name: NAME }).waitFor();
  await look("connection", /valid redirect URI/);
  return page.url();
}

/** The redirect URI with a slash too many, which Keycloak says on a page of its own. Then it is right. */
async function mistakeAtKeycloak(page: Page, at: string, { keycloak, look }: Walk): Promise<void> {
  const redirectUri = /http\S+\/callback/.exec(await section(page, "at-provider").innerText())?.[0] ?? "";
  const client = { clientId: CLIENT_ID, secret: SECRET, standardFlowEnabled: true, redirectUris: [`${redirectUri}/`] };
  const id = await keycloak.admin("POST", "/clients", client);
  await press(page, "Test");
  await page.getByText(/redirect_uri/).waitFor();
  await page.goto(at);
  await section(page, "traces").getByRole("link").first().click();
  await look("wrong-redirect-uri", /not sent the browser back.*redirect URI/);
  await keycloak.admin("PUT", `/clients/${id}`, { ...client, redirectUris: [redirectUri] });
}

async function mistakesInTests(page: Page, at: string, { acme, keycloak, look }: Walk): Promise<void> {
  const [ada, stranger] = [`ada-by-pages@${acme.domain}`, `ada@unproved-${acme.domain}`];
  for (const email of [ada, stranger]) await makePerson(keycloak, email);
  const test = (email: string) => testAs(page, at, keycloak, email);
  await test(ada);
  await look("wrong-secret", /client ID and a new client secret/);
  await edit(page, at, "Client secret", SECRET);
  await edit(page, at, "Claim with the address", "mail");
  await test(ada);
  await look("missing-claim", /claim mail is missing.*name another one here/);
  await edit(page, at, "Claim with the address", "email");
  await test(stranger);
  await look("unproved-domain", /Add it below Domains/);
  await follow(page, "Domains");
  await page.getByLabel("Domain", { exact: true }).fill(`unproved-${acme.domain}`);
  await press(page, "Add");
  await look("domain", /_postern-challenge/);
  await test(ada);
  await look("good-test", /The test has succeeded/);
}

/** Tests the connection as somebody whom Keycloak does not know yet. */
async function testAs(page: Page, at: string, { issuer }: Keycloak, email: string): Promise<void> {
  await page.context().clearCookies({ path: `${new URL(issuer).pathname}/` });
  await page.goto(at);
  await press(page, "Test");
  await page.locator("#username").fill(email);
  await page.locator("#password").fill(PASSWORD);
  await page.locator("#kc-login").click();
  await page.locator("section[aria-label=Result]").waitFor();
}

async function edit(page: Page, at: string, label: string, text: string): Promise<void> {
  await page.goto(`${at}/edit`);
  await page.getByLabel(label, { exact: true }).fill(text);
  await press(page, "Save changes");
  await page.getByRole("heading", { name: NAME }).waitFor();
}
