/** What `npm run deploy` says, and a deployment by the program with wrangler itself. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Account } from "../../.scripts/deploy/account.ts";
import { NO_ID } from "../../.scripts/deploy/configuration.ts";
import { wranglerOutput } from "../../.scripts/deploy/wrangler.ts";
import {
  api,
  beginDeployment,
  carryOut,
  deploy,
  deployHere,
  endDeployment,
  health,
  idsInToml,
  MIGRATIONS,
  project,
  QUEUES,
  setVars,
  toml,
} from "../support/deployment.ts";

beforeEach(beginDeployment);
afterEach(endDeployment);

test("a failed deployment says how to go on, and with wrangler itself the next one completes it", async () => {
  api.failsAt = "POST /queues";
  const failed = await deploy();
  expect([failed.code, failed.text]).toEqual([1, expect.stringContaining("Refused by the test")]);
  expect(failed.text).toContain("run `npm run deploy` again");

  health.failures = 1;
  const completed = await deploy();
  expect([completed.code, completed.text]).toEqual([0, expect.stringContaining(`It works: ${health.url}`)]);
  expect(completed.text).toContain("Set APP_URL in wrangler.toml");
  expect(completed.text).toContain("Set MAIL_FROM in wrangler.toml");
  expect(completed.text).toContain('Put allowed_sender_addresses = ["no-reply@example.com"]');
  expect(completed.text).toContain("because their values are wrong: METRICS_TOKEN");
  expect(completed.text).toContain("OIDC_ISSUER calls itself https://other.example");

  const state = api.state();
  expect(state).toMatchObject({ databases: [{ name: "postern", migrations: MIGRATIONS }], secrets: ["SECRET_KEYS"] });
  expect(state.versions).toHaveLength(1);
  expect(JSON.parse(state.schedules)).toEqual([{ cron: "* * * * *" }, { cron: "17 * * * *" }]);
  expect(Object.keys(state.queues).toSorted()).toEqual(QUEUES.toSorted());
  for (const consumers of Object.values(state.queues)) expect(consumers).toMatchObject([{ script_name: "postern" }]);
  expect(idsInToml()).toEqual([...api.databases.keys()]);
});

test("a dry run prints the steps and does none", async () => {
  const alerts = toml().replace(/^# (.*\n)# (binding = "ALERTS_QUEUE"\n)# /m, "$1$2");
  writeFileSync(join(project, "wrangler.toml"), alerts);
  const planned = await deployHere(["--dry-run"]);
  expect(planned.code).toBe(0);
  expect(planned.text).toContain("would: Create the queue postern-alerts\n");
  expect(planned.text).toContain("would: Create the database postern\n");
  expect(planned.text).toContain("- Set APP_URL in wrangler.toml");
  expect(api.state()).toEqual({ databases: [], queues: {}, schedules: "", versions: [], secrets: [] });
  expect(idsInToml()).toEqual([NO_ID]);
});

test("a dry run works without a login and without a network, and says what it could not ask", async () => {
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", "http://127.0.0.1:1");
  const withoutNetwork = await deployHere(["--dry-run"]);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", undefined);
  for (const home of ["HOME", "XDG_CONFIG_HOME"]) vi.stubEnv(home, project);
  const withoutLogin = await deployHere(["--dry-run"], wranglerOutput);
  for (const { code, text } of [withoutNetwork, withoutLogin]) {
    expect([code, text]).toEqual([0, expect.stringContaining("Cloudflare was not asked. ")]);
    expect(text).toContain("would: Create the database postern\n");
    expect(text).toContain("would: Deploy the Worker");
  }
  expect(withoutLogin.text).toContain("Log in with");
});

test("a bad setting is named with what is right, and nothing is created or uploaded", async () => {
  setVars({ RETENTION_DAYS: "0", BRAND_COLOR: "blue", LOG_LEVL: "warn" });
  writeFileSync(join(project, "secrets"), "METRICS_TOKEN=too-short-a-token\n");
  for (const flags of [[], ["--dry-run"]]) {
    const { code, text } = await deployHere([...flags, "--secrets-file", "secrets"]);
    expect(code).toBe(1);
    expect(text).toContain("RETENTION_DAYS must be a whole number from 1 to 3650");
    expect(text).toContain("BRAND_COLOR must be a colour like");
    expect(text).toContain("METRICS_TOKEN must be at least 32 random characters");
    expect(text).toContain("LOG_LEVL is not a setting");
    expect(text).toContain("Nothing was changed.");
    expect(text).not.toContain("too-short-a-token");
  }
  expect(api.state()).toEqual({ databases: [], queues: {}, schedules: "", versions: [], secrets: [] });
  expect(idsInToml()).toEqual([NO_ID]);
});

test("a deployment that fails after the Worker was replaced names the version to go back to", async () => {
  await carryOut();
  const before = await Account.open().then((account) => account.runningVersion("postern"));
  health.failures = 1000;
  setVars({ RETENTION_DAYS: "31" });
  const { code, text } = await deployHere();
  expect([code, text]).toEqual([1, expect.stringContaining("does not answer 200")]);
  expect(text).toContain(`npx wrangler rollback ${before?.id}`);
  expect(text).toContain("do not revert them");
});
