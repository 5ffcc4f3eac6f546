/** Whether the Worker would accept its settings, checked with the code of the Worker before anything is uploaded. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { build } from "rolldown";
import * as z from "zod";
import { ROOT } from "../bundle.ts";
import { newSecretKey } from "../secret-key.ts";

type ConfigModule = Pick<typeof import("../../src/base/config/config"), "parseConfig" | "SETTING_NAMES">;

/** The settings that are secrets, by the last word of their names. */
const SECRET_NAME = /_(KEYS|TOKEN|SECRET)$/;
const secrets = z.record(z.string(), z.string());

/** Reads secrets by name from a file in JSON or in the form `NAME=value`. Throws without a word of what is in it. */
export function readSecrets(path: string): Record<string, string> {
  const text = readFileSync(path, "utf8");
  if (!text.trimStart().startsWith("{")) return secrets.parse(parseEnv(text));
  try {
    return secrets.parse(JSON.parse(text));
  } catch {
    throw new Error(`${path} must be a JSON object whose values are strings, or have lines of the form NAME=value.`);
  }
}

/** What a deployment knows of the settings that the Worker will have. */
interface KnownSettings {
  vars: Record<string, unknown>;
  /** The addresses that the Worker may send from; undefined: any of the account. */
  senders: readonly string[] | undefined;
  /** The secrets that this deployment uploads. */
  uploaded: Record<string, string>;
  /** The names of the secrets that the Worker has. Their values cannot be read. Undefined: Cloudflare was not asked. */
  kept: ReadonlySet<string> | undefined;
}

/** Throws an error that names each setting that the Worker would refuse, and says what it must be. */
export async function checkSettings({ vars, senders, uploaded, kept }: KnownSettings): Promise<void> {
  const { parseConfig, SETTING_NAMES } = await configModule();
  const names: readonly string[] = SETTING_NAMES;
  const unknown = [...Object.keys(vars), ...Object.keys(uploaded)].filter((name) => !names.includes(name));
  const refusedWith = (stored: Iterable<string>) =>
    refusedOf(parseConfig, { ...standIns(stored), ...vars, ...uploaded });
  // Without an answer, nobody knows which secrets there are: what is wrong is wrong with all and with none of them.
  const all = refusedWith(kept ?? names.filter((name) => SECRET_NAME.test(name)));
  const none = kept ? all : refusedWith(["SECRET_KEYS"]);
  const sender = addressIn(vars.MAIL_FROM);
  const problems = [
    ...unknown.map((name) => `${name} is not a setting: look for the right name in src/docs/pages/operations.md`),
    ...all.filter((problem) => none.includes(problem)),
    ...(senders && !senders.includes(sender)
      ? [`allowed_sender_addresses in wrangler.toml must have the address of MAIL_FROM, ${sender}`]
      : []),
  ];
  if (problems.length > 0) throw new Error(`Settings are wrong:\n${problems.map((one) => `- ${one}`).join("\n")}`);
}

/** The address of a sender such as `Postern <no-reply@example.com>`. */
export const addressIn = (sender: unknown): string => String(sender).match(/[^\s<>]+@[^\s<>]+/)?.[0] ?? "";

function refusedOf(parseConfig: ConfigModule["parseConfig"], settings: Record<string, unknown>): readonly string[] {
  try {
    return parseConfig(settings).refused;
  } catch (error) {
    if (error instanceof Error && "problems" in error) return error.problems as string[];
    throw error;
  }
}

/** Good values for secrets that cannot be read. */
const standIns = (names: Iterable<string>) => Object.fromEntries([...names].map((name) => [name, newSecretKey()]));

let loaded: Promise<ConfigModule> | undefined;

/** The module of the Worker, loaded once in this process. */
function configModule(): Promise<ConfigModule> {
  loaded ??= bundledModule();
  return loaded;
}

/** Bundled, because Node does not resolve the imports of the Worker. */
async function bundledModule(): Promise<ConfigModule> {
  const input = join(ROOT, "src/base/config/config.ts");
  const { output } = await build({ input, write: false, logLevel: "warn" });
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString("base64")}`);
}
