/** What a sign-on costs D1: trips, and rows written, indexes included. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SignedOn } from "../../src/sign-on/signed-on";
import { type Person, signUpVerified } from "../support/client";
import { costOf as costOfRequest, countedEnv, rowsRead } from "../support/cost";
import { arrive, newConnection, signedOnMember, signOnAs, wordOf } from "../support/signed-on";

async function costOf(word: SignedOn) {
  const { counted, cost } = countedEnv();
  const { browser, code } = await arrive(word, counted as never);
  const before = { ...cost };
  const answer = await browser.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
  expect(answer.status).toBe(200);
  return { trips: cost.trips - before.trips, rowsWritten: cost.rowsWritten - before.rowsWritten };
}

/** Signs on once before, so that the device is known and the connection has just been used. */
test("an exchange takes two trips, and writes no more than its figures", async () => {
  const { connection, word } = await signedOnMember();
  await signOnAs(word);
  const known = await costOf(word);
  const changed = await costOf({ ...word, role: { role: "viewer", rule: 0 } });
  const made = await costOf(wordOf(await newConnection(connection.tenantId)));
  expect([known.trips, changed.trips, made.trips]).toEqual([2, 2, 2]);
  expect(known.rowsWritten).toBeLessThanOrEqual(11);
  expect(changed.rowsWritten).toBeLessThanOrEqual(17);
  expect(made.rowsWritten).toBeLessThanOrEqual(30);
});

test("a tenant that requires sign-on costs others no trip and no row, and itself a few rows read", async () => {
  const cost = async (person: Person) => {
    rowsRead.count = 0;
    const { trips, rowsWritten } = await costOfRequest("POST", "/auth/refresh", {
      body: { refreshToken: person.refreshToken },
    });
    return { trips, rowsWritten, read: rowsRead.count };
  };
  const person = async () => signUpVerified();
  const off = await person();
  const [before, enforced] = [await cost(off), await person()];
  await env.DB.prepare("UPDATE tenants SET sign_on = 'domains', sign_on_from = 1, sign_on_begun_at = 1 WHERE id = ?")
    .bind(enforced.tenantId)
    .run();
  const [beside, within] = [await cost(await person()), await cost(enforced)];
  expect(beside).toEqual(before);
  expect([within.trips, within.rowsWritten]).toEqual([before.trips, before.rowsWritten]);
  expect(within.read - before.read).toBeLessThanOrEqual(12);
});
