/** The daily check of providers' certificates: who is told, of which ones, and how often. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { renewConnections } from "../../src/sign-on/renewal/renew";
import { call, eventually, signUpVerified } from "../support/client";
import { countedEnv } from "../support/cost";
import { mailsTo, mailTo } from "../support/mailbox";
import { newSamlProvider } from "../support/saml-provider";
import { connectSaml } from "../support/saml-sign-on";
import { connect } from "../support/sign-on";

const DAY_MS = 86_400_000;

async function lookAfter(days: number, variables: object = {}): Promise<void> {
  const context = createExecutionContext();
  const deps = { ...(await createDeps({ ...env, ...variables }, context)), now: () => Date.now() + days * DAY_MS };
  for (let cursor: string | null = ""; cursor !== null; ) cursor = await renewConnections(deps, 0, cursor, () => false);
  await waitOnExecutionContext(context);
}

const TOLD = /^A certificate of your identity provider ends soon$/;

test("owners are told 30 days before a certificate ends, once of each, however many looks there are at once", async () => {
  const owner = await signUpVerified();
  const { id } = await connectSaml(owner, await newSamlProvider(Date.now() + 40 * DAY_MS));
  const told = () => mailsTo(owner.email).filter(({ subject }) => TOLD.test(subject)).length;
  await lookAfter(9);
  expect(told()).toBe(0);
  await Promise.all([lookAfter(11), lookAfter(11)]);
  const { text } = await mailTo(owner.email, TOLD);
  expect([text.includes("Acme"), text.includes("within 29 days")]).toEqual([true, true]);
  await lookAfter(20);
  expect(told()).toBe(1);
  const next = await newSamlProvider(Date.now() + 45 * DAY_MS);
  const saml = { certificates: [next.certificate] };
  await call("PATCH", `/tenant/connections/${id}`, { token: owner.token, body: { saml } });
  for (const days of [20, 21, 50]) await lookAfter(days);
  await eventually("the second mail", async () => told() === 2);
});

test("where no certificate ends, the look takes no trip more", async () => {
  const owner = await signUpVerified();
  const cost = async () => {
    const { counted, cost: spent } = countedEnv();
    await lookAfter(0, counted);
    return spent.trips;
  };
  await connect(owner);
  const before = await cost();
  await connectSaml(owner, await newSamlProvider());
  expect(await cost()).toBeLessThanOrEqual(before + 1);
});
