/** Which service the commands talk to, and with which key: from the environment, or from what `postern login` kept. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, createClient, type Fetch } from "../client";
import { sendExactly } from "./exact";
import { EXIT, Failure, usage } from "./failure";
import { decoded } from "./input";

export interface Account {
  /** The service's address without `/api/v1`. */
  url: string;
  /** An API key (`ak_...`) or a platform key (`psk_...`). */
  key: string;
}

/** Where `postern login` keeps the account. */
function accountPath(env = process.env): string {
  const configFolder =
    env.XDG_CONFIG_HOME ||
    (process.platform === "win32" && env.APPDATA) ||
    (process.platform === "darwin" ? join(homedir(), "Library", "Application Support") : join(homedir(), ".config"));
  return join(configFolder, "postern", "config.json");
}

/** Keeps the account in a file that nobody else may read. Returns its path. */
export function saveAccount(account: Account): string {
  const path = accountPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  // A file that was there before keeps its mode.
  chmodSync(path, 0o600);
  return path;
}

/** The account of the environment, else the one that is kept. Throws Failure if there is none. */
export function loadAccount(env = process.env): Account {
  const kept = readKept();
  const [url, key] = [env.POSTERN_URL || kept?.url, env.POSTERN_KEY || kept?.key];
  if (url && key) return { url, key };
  throw new Failure(
    EXIT.notSignedIn,
    "Not signed in. Set POSTERN_URL and POSTERN_KEY, or run: postern login --url URL",
  );
}

function readKept(): Partial<Account> | undefined {
  try {
    return JSON.parse(decoded(readFileSync(accountPath()), accountPath())) as Partial<Account>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Failure(EXIT.failed, `${accountPath()} cannot be read. Remove it and sign in again.`);
  }
}

/** A client that acts as the account, in `tenant` if one is given. */
export function clientOf({ url, key }: Account, tenant?: string, fetch: Fetch = sendExactly): Client {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw usage(`Not the address of a service: ${url}`);
  return createClient({
    baseUrl: url,
    tenant,
    fetch,
    ...(isPlatformKey(key) ? { platformKey: key } : { apiKey: key }),
  });
}

export const isPlatformKey = (key: string): boolean => key.startsWith("psk_");
