/** `npm run deploy`: makes a plan, carries it out, asks whether the service works, and says what is left to do. */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as z from "zod";
import { Account, Unreachable } from "./account.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { makePlan, type Plan, UNKNOWN_ACCOUNT } from "./plan.ts";
import { addressIn, readSecrets } from "./settings.ts";
import type { Wrangler } from "./wrangler.ts";

const USAGE = `npm run deploy -- [options]
  --dry-run            check the settings, print the steps and do none; works without a login and without a network
  --secrets-file FILE  set these secrets, in JSON or as NAME=value, with the Worker; those that it does not name stay
  --add-shard          add a delivery database, with queues of its own
  --add-queues         give every delivery database queues of its own
  --url URL            where the service answers, if that is not its workers.dev address`;
const UNCHANGED = "\nNothing was changed.";
const AGAIN = `
What is done stays done. Correct this, then run \`npm run deploy\` again: it continues here. Leave --add-shard
out if wrangler.toml has the new database by now.`;
const HEALTH_TRIES = 15;
const HEALTH_TIMEOUT_MS = 10_000;
const health = z.object({
  data: z.object({ refusedSettings: z.array(z.string()).optional(), unexpectedIssuer: z.string().optional() }),
});

interface Surroundings {
  wrangler: Wrangler;
  /** Where its words go: failures as errors. */
  terminal: Pick<Console, "log" | "error">;
  /** How long it waits before it asks a service that does not work yet again. */
  healthRetryMs: number;
}

/** Deploys as the arguments of the command line say. Returns the exit code, after it has said what went wrong. */
export async function deploy(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { wrangler, terminal } = surroundings;
  // What to do after a failure, as far as the deployment has come.
  let remedy = UNCHANGED;
  try {
    const flags = readFlags(args);
    const configuration = readConfiguration();
    const { addShard, addQueues } = flags;
    const secrets = flags.secretsFile === undefined ? {} : readSecrets(flags.secretsFile);
    const planFor: PlanFor = (account) => makePlan(configuration, account, wrangler, { addShard, addQueues, secrets });
    if (flags.isDry) {
      const planned = await printSteps(planFor, terminal);
      printTasks(tasksLeft(configuration, planned, { url: flags.url, refused: [], addsBindings: false }), terminal);
      return 0;
    }
    const plan = await planFor(await Account.open());
    const printed = await carryOut(plan, terminal, (next) => {
      remedy = next;
    });
    const url = flags.url ?? printed.match(/https:\/\/\S+\.workers\.dev/)?.[0];
    const refused = await reportHealth(url, surroundings);
    printTasks(tasksLeft(configuration, plan, { url, refused, addsBindings: addShard || addQueues }), terminal);
    return 0;
  } catch (error) {
    const isUsage = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
    terminal.error(error instanceof Error ? error.message : error);
    terminal.error(isUsage ? USAGE : remedy);
    return 1;
  }
}

function readFlags(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean", default: false },
      "secrets-file": { type: "string" },
      "add-shard": { type: "boolean", default: false },
      "add-queues": { type: "boolean", default: false },
      url: { type: "string" },
    },
  });
  return {
    isDry: values["dry-run"],
    secretsFile: values["secrets-file"],
    addShard: values["add-shard"],
    addQueues: values["add-queues"],
    url: values.url,
  };
}

function printTasks(tasks: readonly string[], terminal: Surroundings["terminal"]): void {
  if (tasks.length > 0) terminal.log(`\nStill to do:\n${tasks.map((task) => `- ${task}`).join("\n")}`);
}

type PlanFor = (account: Parameters<typeof makePlan>[1]) => Promise<Plan>;

/** Plans without the account when it cannot be asked, and says so. Returns the plan. */
async function printSteps(planFor: PlanFor, terminal: Surroundings["terminal"]): Promise<Plan> {
  const withoutAccount = (error: unknown): Promise<Plan> => {
    if (!(error instanceof Unreachable)) throw error;
    terminal.log(
      `Cloudflare was not asked. ${error.message}\nThese are the steps for an account that has the databases ` +
        "with an id in wrangler.toml, and no queues.",
    );
    return planFor(UNKNOWN_ACCOUNT);
  };
  const plan = await Account.open().then(planFor).catch(withoutAccount);
  for (const { does } of plan.steps) terminal.log(`would: ${does}`);
  return plan;
}

/** Tells `ifFailed` before each step what to do if it fails. Returns what the last step printed. */
async function carryOut(
  { steps, running }: Plan,
  terminal: Surroundings["terminal"],
  ifFailed: (remedy: string) => void,
): Promise<string> {
  let printed = "";
  for (const [index, { does, run }] of steps.entries()) {
    ifFailed(AGAIN + (index === steps.length - 1 ? wayBack(running?.id) : ""));
    terminal.log(`${index + 1}/${steps.length} ${does}`);
    const output = await run();
    printed = typeof output === "string" ? output : "";
  }
  return printed;
}

/** How to go back to the version that ran before; nothing if there was none. */
function wayBack(versionId: string | undefined): string {
  if (versionId === undefined) return "";
  return `
To go back to the version that ran before instead: npx wrangler rollback ${versionId}
It works with the migrations of this one, which only add, so do not revert them. "Upgrades" in
src/docs/pages/operations.md says more. \`npx wrangler deployments status\` tells which version runs.`;
}

/** Waits until the service works. Returns the names of settings that it refuses. */
async function reportHealth(url: string | undefined, { terminal, healthRetryMs }: Surroundings): Promise<string[]> {
  if (url === undefined) {
    terminal.log(
      "\nDeployed. Its address is not known here: check it with `npm run deploy -- --url https://your.domain`.",
    );
    return [];
  }
  for (let left = HEALTH_TRIES; left >= 0; left -= 1) {
    const data = await healthOf(url);
    if (data) {
      terminal.log(`\nIt works: ${url}\n  console  ${url}/console\n  docs     ${url}/docs\n  API      ${url}/api/v1`);
      if (data.unexpectedIssuer) {
        terminal.log(`The provider at OIDC_ISSUER calls itself ${data.unexpectedIssuer}: is it the right one?`);
      }
      return data.refusedSettings ?? [];
    }
    if (left > 0) await sleep(healthRetryMs);
  }
  throw new Error(`${url}/health?deep=1 does not answer 200. \`npx wrangler tail\` shows why.`);
}

/** Returns undefined if the service does not work. */
async function healthOf(url: string): Promise<z.output<typeof health>["data"] | undefined> {
  try {
    const response = await fetch(`${url}/health?deep=1`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    return response.ok ? health.parse(await response.json()).data : undefined;
  } catch {
    return undefined;
  }
}

interface Outcome {
  url: string | undefined;
  /** The settings that the service refuses. */
  refused: string[];
  addsBindings: boolean;
}

/** What is left for a person to do. */
function tasksLeft(
  { vars, senders }: Configuration,
  { makesKeys }: Plan,
  { url, refused, addsBindings }: Outcome,
): string[] {
  const { TOKEN_ISSUER, PUBLIC_URL, APP_URL } = vars;
  return [
    refused.length > 0 &&
      `What these secrets set up is off, because their values are wrong: ${refused.join(", ")}. Set them again with ` +
        "`npm run deploy -- --secrets-file FILE`, which checks them first.",
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
    senders === undefined &&
      `Put allowed_sender_addresses = ["${addressIn(vars.MAIL_FROM)}"] below [[send_email]] in wrangler.toml: ` +
        "without it, the Worker may send from any address of the account.",
    makesKeys &&
      "SECRET_KEYS is new and known to Cloudflare only. To have a copy, set one of your own: `openssl rand " +
        "-hex 32`, then `npx wrangler secret put SECRET_KEYS`, before anybody registers.",
    addsBindings && "Run `npm run types`, and commit it with wrangler.toml.",
  ].filter((task) => task !== false);
}
