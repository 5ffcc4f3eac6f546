/** Tokens of a person are renewed as they end. Each refresh token works once, so one command at a time renews them. */
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import type { Fetch } from "../client";
import { accountPath, readKept, saveAccount, type Tokens } from "./account";
import { findEndpoints, post, tokensOf } from "./authorization-server";
import { EXIT, Failure } from "./failure";

/** Ends too early to send anything more with it. */
const NEARLY_OVER_MS = 60_000;
/** A command that was ended has left its lock. Longer than a renewal takes. */
const LOCK_IS_LEFT_MS = 60_000;
const LOOKS_AGAIN_MS = 100;

/** Sends with an access token that works. */
export function renewing(url: string, kept: Tokens, fetch: Fetch): Fetch {
  let tokens = kept;
  return async (address, init) => {
    if (isNearlyOver(tokens)) tokens = await alone(() => renew(url));
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${tokens.access}`);
    return fetch(address, { ...init, headers: Object.fromEntries(headers) });
  };
}

const isNearlyOver = ({ expiresAt }: Tokens): boolean => expiresAt < Date.now() + NEARLY_OVER_MS;

/** Another command may have renewed them meanwhile. */
async function renew(url: string): Promise<Tokens> {
  const kept = readKept();
  if (!kept?.tokens || kept.url !== url) throw new Failure(EXIT.notSignedIn, "Signed out meanwhile.");
  if (!isNearlyOver(kept.tokens)) return kept.tokens;
  const endpoints = await findEndpoints(url);
  if (!endpoints) throw new Failure(EXIT.notSignedIn, "The service signs nobody in to apps any more.");
  const form = { grant_type: "refresh_token", refresh_token: kept.tokens.refresh };
  const tokens = tokensOf(await post(endpoints.token_endpoint, form));
  saveAccount({ url, credential: tokens });
  return tokens;
}

/** Runs `work` while no other command runs it: a file that only one of them can make. */
async function alone<T>(work: () => Promise<T>): Promise<T> {
  const path = `${accountPath()}.lock`;
  while (!take(path)) await wait(LOOKS_AGAIN_MS);
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (madeAt > 0 && madeAt < Date.now() - LOCK_IS_LEFT_MS) rmSync(path, { force: true });
    return false;
  }
}
