/** Uses the stores of people who sign on with their tenant's own provider. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import { DAY_MS } from "../../src/base/time";
import { tellOfDirectories } from "../../src/directory/notices/daily";
import { removeLeftAccounts } from "../../src/lifecycle/deletion/left-accounts";
import { removeLeftPeople } from "../../src/lifecycle/deletion/left-people";
import { beginSignOn } from "../../src/sign-on/policy/begin";
import { call, signUp, signUpVerified } from "./client";
import { groupEverybody } from "./every-group-store";
import { mailTo, tokenIn } from "./mailbox";
import { newBrowser } from "./oauth";
import { operate, operator } from "./operators";
import { joinTenant } from "./people";
import { newSamlProvider } from "./saml-provider";
import { arriveBySaml, connectSaml, exchange, leaveForSaml, openSaml } from "./saml-sign-on";
import { bring, deactivate, newDirectory, recordOf, scim } from "./scim";
import { renewAll, testerOf } from "./sign-on";
import { knownWord, moveInto, signedOnMember, signOnAs, wordOf } from "./signed-on";
import { enrol } from "./two-factor";

/** Makes an account, changes it, takes one over, and links one, which its owner undoes. */
export async function signOnEverybody(): Promise<void> {
  const { connection, word } = await signedOnMember();
  const email = `new-${crypto.randomUUID()}@${connection.domain}`;
  await signOnAs({ ...word, email, name: "Ada King", role: { role: "viewer", rule: 0 } });
  const unproven = await moveInto(connection, await signUp());
  await signOnAs(wordOf(connection, { email: unproven.email }));
  const linked = await moveInto(connection, await signUpVerified());
  await signOnAs(wordOf(connection, { email: linked.email }));
  const notMe = { token: tokenIn(await mailTo(linked.email, /You can now sign in with/)) };
  await call("POST", "/auth/not-me", { body: notMe });
  await removeLeftAccounts(await createDeps(env, createExecutionContext()), 0, "", () => false);
  await bringEverybody();
  await requireSignOn();
  await signOnBySaml();
}

/** Signs somebody on by SAML, with a certificate that ends soon. */
async function signOnBySaml(): Promise<void> {
  const owner = await signUpVerified();
  const connection = await connectSaml(owner, await newSamlProvider(Date.now() + DAY_MS));
  await openSaml(owner, connection);
  const browser = newBrowser();
  const departure = await leaveForSaml(browser, `?connection=${connection.id}`);
  const attributes = await testerOf(owner);
  await exchange(browser, await arriveBySaml(browser, connection, departure, { subject: "ada", attributes }));
  await renewAll();
}

/** Makes a setup link. Then requires sign-on, refuses a member, and has an operator end that. */
async function requireSignOn(): Promise<void> {
  const owner = await signUpVerified();
  const { token, tenantId } = owner;
  await call("POST", "/tenant/setup-links", { token, body: { may: ["connection"] } });
  await knownWord(owner);
  await enrol(owner);
  const member = await joinTenant(owner, "viewer");
  await call("PATCH", "/tenant/security", { token, body: { signOn: { require: "all", graceDays: 0 } } });
  await beginSignOn(await createDeps(env, createExecutionContext()), 0, "", () => false);
  await call("GET", "/webhooks", { token: member.token });
  await operate(await operator(), "POST", `/tenants/${tenantId}/sign-on/end`, { reason: "locked out" });
}

/** Uses the stores of a directory: brings people, finds, changes and removes them, and does what is done once a day. */
async function bringEverybody(): Promise<void> {
  const directory = await newDirectory();
  const { owner, connection } = directory;
  await groupEverybody();
  const unproven = await moveInto(connection, await signUp());
  const taken = await bring(directory, { userName: unproven.email, emails: [{ value: unproven.email }] });
  const { id, meta: _, ...user } = await bring(directory);
  await scim(directory, "PUT", `/Users/${id}`, { body: { ...user, displayName: "Amazing Grace" } });
  await scim(directory, "GET", `/Users/${id}`);
  for (const query of ["", "?cursor=", '?filter=emails.value eq "a@b.example"', '?filter=displayName co "a"']) {
    await scim(directory, "GET", `/Users${query}`);
  }
  await call("DELETE", `/members/${(await recordOf(connection.id, id))?.userId}`, { token: owner.token });
  const at = `/tenant/connections/${connection.id}`;
  await call("GET", `${at}/people`, { token: owner.token });
  await call("POST", `${at}/people/${id}/release`, { token: owner.token, body: {} });
  await deactivate(directory, id);
  await scim(directory, "DELETE", `/Users/${taken.id}`);
  const [token] = (await call("GET", `${at}/scim-tokens`, { token: owner.token })).body.data;
  await call("DELETE", `${at}/scim-tokens/${token.id}`, { token: owner.token, body: {} });
  const deps = await createDeps(env, createExecutionContext());
  await tellOfDirectories(deps, 0, "", () => false);
  await removeLeftPeople(deps, 0, "", () => false);
}
