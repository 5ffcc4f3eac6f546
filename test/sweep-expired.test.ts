/** The cron removes sessions, mailed tokens and invitations some time after they expired. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { sweepExpired } from "../src/auth/sweep";
import { createDeps } from "../src/deps";
import { newEmail, signUp } from "./support/client";
import { mailTo } from "./support/mailbox";
import { invite } from "./support/people";

const DAY_MS = 24 * 3_600_000;

test("expired rows go, live ones stay", async () => {
  const person = await signUp();
  await mailTo(person.email, /verify/i);
  await invite(person, newEmail(), "viewer");
  const deps = await createDeps(env, { waitUntil: () => {} });
  const count = async () => {
    const tables = ["sessions", "email_tokens", "invitations"];
    const rows = await Promise.all(
      tables.map((table) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>()),
    );
    return rows.map((row) => row?.n);
  };
  await sweepExpired(deps);
  expect(await count()).toEqual([1, 2, 1]);
  await sweepExpired({ ...deps, now: () => Date.now() + 45 * DAY_MS });
  expect(await count()).toEqual([1, 0, 0]);
  await sweepExpired({ ...deps, now: () => Date.now() + 61 * DAY_MS });
  expect(await count()).toEqual([0, 0, 0]);
});
