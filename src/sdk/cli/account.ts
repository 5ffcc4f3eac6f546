/** Which service the commands talk to, and as whom: from the environment, or from what `postern login` kept. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { EXIT, Failure } from "./failure";
import { decoded } from "./input";

/** The tokens of a person who has signed in. */
export interface Tokens {
  access: string;
  refresh: string;
  /** When the access token ends; Unix ms. */
  expiresAt: number;
}

export interface Account {
  /** The service's address without `/api/v1`. */
  url: string;
  /** An API key (`ak_...`) or a platform key (`psk_...`), or tokens. */
  credential: string | Tokens;
}

/** As it is in the file. */
interface KeptAccount {
  url?: string;
  key?: string;
  tokens?: Tokens;
}

/** Where `postern login` keeps the account. */
export function accountPath(env = process.env): string {
  const configFolder =
    env.XDG_CONFIG_HOME ||
    (process.platform === "win32" && env.APPDATA) ||
    (process.platform === "darwin" ? join(homedir(), "Library", "Application Support") : join(homedir(), ".config"));
  return join(configFolder, "postern", "config.json");
}

/** Keeps the account in a file that nobody else may read. Returns its path. */
export function saveAccount({ url, credential }: Account): string {
  const path = accountPath();
  const kept: KeptAccount = typeof credential === "string" ? { url, key: credential } : { url, tokens: credential };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Whoever reads meanwhile finds the former file or this one, never a part.
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
  chmodSync(next, 0o600);
  renameSync(next, path);
  return path;
}

export const forgetAccount = (): void => rmSync(accountPath(), { force: true });

/** The account of the environment, else the one that is kept. Throws Failure if there is none. */
export function loadAccount(env = process.env): Account {
  const kept = readKept();
  const url = env.POSTERN_URL || kept?.url;
  // Tokens are of the service that gave them.
  const credential = env.POSTERN_KEY || kept?.key || (url === kept?.url ? kept?.tokens : undefined);
  if (url && credential) return { url, credential };
  throw new Failure(
    EXIT.notSignedIn,
    "Not signed in. Set POSTERN_URL and POSTERN_KEY, or run: postern login --url URL",
  );
}

/** Null if there is none. Throws Failure if it cannot be read. */
export function readKept(): KeptAccount | null {
  try {
    return JSON.parse(decoded(readFileSync(accountPath()), accountPath())) as KeptAccount;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new Failure(EXIT.failed, `${accountPath()} cannot be read. Remove it and sign in again.`);
  }
}

export const isPlatformKey = (key: string): boolean => key.startsWith("psk_");
