/**
 * `npm run deploy`: creates what the Cloudflare account lacks, applies migrations, deploys, and asks the service
 * whether it works. It keeps what exists, so it can be repeated after a failure and for every new version.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Account } from "./deploy/account.ts";
import { type Configuration, readConfiguration } from "./deploy/configuration.ts";
import { makePlan, type Plan } from "./deploy/plan.ts";
import { wranglerOutput } from "./deploy/wrangler.ts";

const USAGE = `npm run deploy -- [options]
  --dry-run     print the steps and do none
  --add-shard   add a delivery database, with queues of its own
  --add-queues  give every delivery database queues of its own
  --url URL     where the service answers, if that is not its workers.dev address`;
const AGAIN = `
What is done stays done. Correct this, then run \`npm run deploy\` again: it continues here. Leave --add-shard
out if wrangler.toml has the new database by now.`;
const HEALTH_TRIES = 15;
const HEALTH_TIMEOUT_MS = 10_000;
const HEALTH_RETRY_MS = 2_000;

try {
  const { values } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      "add-shard": { type: "boolean", default: false },
      "add-queues": { type: "boolean", default: false },
      url: { type: "string" },
    },
  });
  const configuration = readConfiguration();
  const plan = await makePlan(configuration, await Account.open(), wranglerOutput, {
    addShard: values["add-shard"],
    addQueues: values["add-queues"],
  });
  if (values["dry-run"]) {
    for (const { does } of plan.steps) console.log(`would: ${does}`);
  } else {
    const printed = await carryOut(plan);
    const url = values.url ?? printed.match(/https:\/\/\S+\.workers\.dev/)?.[0];
    await reportHealth(url);
    reportTasks(configuration, plan, url, values["add-shard"] || values["add-queues"]);
  }
} catch (error) {
  const isUsage = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  console.error(error instanceof Error ? error.message : error);
  console.error(isUsage ? USAGE : AGAIN);
  process.exit(1);
}

/** Returns what the last step printed. */
async function carryOut({ steps }: Plan): Promise<string> {
  let printed = "";
  for (const [index, { does, run }] of steps.entries()) {
    console.log(`${index + 1}/${steps.length} ${does}`);
    const output = await run();
    printed = typeof output === "string" ? output : "";
  }
  return printed;
}

async function reportHealth(url: string | undefined): Promise<void> {
  if (url === undefined) {
    console.log(
      "\nDeployed. Its address is not known here: check it with `npm run deploy -- --url https://your.domain`.",
    );
    return;
  }
  for (let left = HEALTH_TRIES; !(await isHealthy(url)); left -= 1) {
    if (left === 0) throw new Error(`${url}/health?deep=1 does not answer 200. \`npx wrangler tail\` shows why.`);
    await sleep(HEALTH_RETRY_MS);
  }
  console.log(`\nIt works: ${url}\n  console  ${url}/console\n  docs     ${url}/docs\n  API      ${url}/api/v1`);
}

function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health?deep=1`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function reportTasks(
  { vars }: Configuration,
  { makesKeys }: Plan,
  url: string | undefined,
  addsBindings: boolean,
): void {
  const { TOKEN_ISSUER, PUBLIC_URL, APP_URL } = vars;
  const tasks = [
    !TOKEN_ISSUER &&
      !PUBLIC_URL &&
      !String(APP_URL).endsWith("/console") &&
      "Set PUBLIC_URL in wrangler.toml to where the service is reached: other services look there for the keys of " +
        "access tokens, and APP_URL leads to another app.",
    /localhost/.test(String(vars.APP_URL)) &&
      `Set APP_URL in wrangler.toml: links in mails lead to ${vars.APP_URL}. The console is at ` +
        `${url ?? "the address of the service"}/console.`,
    /@example\.(com|org|net)\b/.test(String(vars.MAIL_FROM)) &&
      "Set MAIL_FROM in wrangler.toml to an address of a domain that is set up for Email Sending: no mail goes out " +
        "before that.",
    makesKeys &&
      "SECRET_KEYS is new and known to Cloudflare only. To have a copy, set one of your own: `openssl rand " +
        "-hex 32`, then `npx wrangler secret put SECRET_KEYS`, before anybody registers.",
    addsBindings && "Run `npm run types`, and commit it with wrangler.toml.",
  ].filter((task) => task !== false);
  if (tasks.length > 0) console.log(`\nStill to do:\n${tasks.map((task) => `- ${task}`).join("\n")}`);
}
