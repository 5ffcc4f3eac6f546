/**
 * `npm run keycloak`: Keycloak as the identity provider of a customer of a real `npm run dev`. It is set up by its own
 * API as the recipe of the console says, and then wrongly in the ways in which people set it up; each trace is printed,
 * so that somebody can read whether it says what to change. With the address of a Keycloak that runs already, that one
 * is used: its administrator is the one of `keycloak/start.ts`. Then somebody sets it up in Chromium by a setup link;
 * `PICTURES` is a folder for screenshots.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Customer, type LogIn, newCustomer } from "../test/browser/customer.ts";
import { type DevServer, freePort, startDevServer } from "../test/browser/dev-server.ts";
import { Visitor } from "../test/sdk/visitor.ts";
import { setUpByPages } from "./keycloak/by-pages.ts";
import { signOnBySaml } from "./keycloak/by-saml.ts";
import { GROUP_MAPPER, type Keycloak, makePerson, PASSWORD, startKeycloak } from "./keycloak/start.ts";

const SECRET = "a secret between two programs";
const CLIENT_ID = "postern";

function check(what: string, ok: boolean, detail: unknown = ""): void {
  console.log(`${ok ? "ok     " : "FAILED "} ${what}`);
  if (ok) return;
  process.exitCode = 1;
  console.log(JSON.stringify(detail));
}

/** Types name and password into Keycloak's own page. */
const logIn: LogIn = (browser, page, email) => browser.send(page, "password", { username: email, password: PASSWORD });

/** Makes the customer's connection, the client at Keycloak, and the rule that gives its administrators their role. */
async function connect(acme: Customer, { issuer, admin }: Keycloak) {
  const { data } = (await acme.call("POST", "/tenant/connections", { name: "Keycloak", provider: "keycloak" })).body;
  await admin("POST", "/clients", {
    clientId: CLIENT_ID,
    secret: SECRET,
    standardFlowEnabled: true,
    redirectUris: [data.redirectUri],
    attributes: { "backchannel.logout.url": data.logoutUri ?? "", "backchannel.logout.session.required": "true" },
    protocolMappers: [GROUP_MAPPER],
  });
  await admin("POST", "/groups", { name: "Admins" });
  const at = `/tenant/connections/${data.id}`;
  const changed = await acme.call("PATCH", at, {
    oidc: { issuer, clientId: CLIENT_ID, clientSecret: SECRET },
    roles: { default: "viewer", rules: [{ group: "Admins", role: "admin" }] },
  });
  check("the connection is complete", changed.body.data?.state === "ready", changed.body);
  return { id: data.id as string, at, logoutUri: data.logoutUri as string | undefined };
}

/** The way of a customer, from the test to the end of the session. */
async function walk(
  acme: Customer,
  keycloak: Keycloak,
  { id, at, logoutUri }: Awaited<ReturnType<typeof connect>>,
): Promise<void> {
  const email = `ada@${acme.domain}`;
  const userId = await makePerson(keycloak, email, { groups: ["Admins"] });
  const trace = await acme.test(id, email, logIn);
  console.log(`        the claims: ${JSON.stringify(trace.claims)}`);
  check("a test of an administrator succeeds", trace.outcome === "succeeded" && trace.would.role === "admin", trace);
  check("it is activated", (await acme.call("POST", `${at}/activate`)).status === 200);
  const browser = new Visitor();
  const back = await acme.signOn(id, email, logIn, browser);
  const opened = await acme.exchange(browser, back.searchParams.get("code"));
  check("the person signs on", opened.status === 200, opened.body);
  const { accessToken, refreshToken } = opened.body.data;
  const renewed = await acme.send("POST", "/auth/refresh", { refreshToken });
  check("the session is renewed", renewed.status === 200, renewed.body);
  const { data } = (await acme.call("GET", "/members")).body;
  const member = data.find((one: { email: string }) => one.email === email);
  check("the group has given the role", member?.role === "admin", data);
  if (logoutUri === undefined) return console.log("NOT CHECKED: the service takes no back-channel logout");
  await keycloak.admin("POST", `/users/${userId}/logout`);
  const ended = await acme.send("GET", "/auth/me", undefined, accessToken);
  check("a sign-out at Keycloak ends the session here", ended.status === 401, ended.body);
}

/** Sets something up wrongly, tests it, and prints what the trace says. */
async function tryWrongly(acme: Customer, keycloak: Keycloak, { id, at }: { id: string; at: string }): Promise<void> {
  const good = `grace@${acme.domain}`;
  await makePerson(keycloak, good);
  const say = async (what: string, reason: string, email = good) => {
    const trace = await acme.test(id, email, logIn);
    check(`${what}: ${reason}`, trace.reason === reason, trace);
    console.log(`        ${trace.message}`);
  };
  await acme.call("PATCH", at, { oidc: { clientSecret: "another secret, mistyped" } });
  await say("a wrong secret", "bad_client");
  await acme.call("PATCH", at, { oidc: { clientSecret: SECRET } });
  const unverified = `new@${acme.domain}`;
  await makePerson(keycloak, unverified, { emailVerified: false });
  await say("an address that nobody has verified there", "email_unverified", unverified);
  await makePerson(keycloak, "ada@elsewhere.example");
  await say("somebody of another domain", "domain_not_proved", "ada@elsewhere.example");
  await acme.call("PATCH", at, { attributes: { email: "mail" } });
  await say("a claim that Keycloak does not send", "no_email");
  await acme.call("PATCH", at, { attributes: { email: null }, session: { requireMfa: true } });
  await say("a second factor that nobody has there", "mfa_missing");
  await acme.call("PATCH", at, { session: { requireMfa: null, acrValues: ["gold"] } });
  await say("a way to sign in that Keycloak does not have", "acr");
  await acme.call("PATCH", at, { session: { acrValues: null }, roles: { default: null } });
  await say("nobody has a role", "no_role");
  for (const issuer of [`${keycloak.issuer}e`, new URL(keycloak.issuer).origin]) {
    const { status, body } = await acme.call("PATCH", at, { oidc: { issuer } });
    check("an issuer that is none", status === 400, body);
    console.log(`        ${body.details?.[0]?.path}: ${body.details?.[0]?.message}`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "postern-keycloak-"));
let keycloak: Keycloak | undefined;
let server: DevServer | undefined;
try {
  keycloak = await startKeycloak(folder, await freePort(), process.argv[2]);
  console.log(`Keycloak ${keycloak.version}`);
  server = await startDevServer(await freePort(), { url: "https://id.example" });
  const acme = await newCustomer(server);
  const connection = await connect(acme, keycloak);
  await walk(acme, keycloak, connection);
  await tryWrongly(acme, keycloak, connection);
  await signOnBySaml(acme, keycloak, check);
  await setUpByPages(await newCustomer(server), keycloak, check, process.env.PICTURES);
} finally {
  await server?.stop();
  await keycloak?.stop();
  rmSync(folder, { recursive: true, force: true });
}
