/**
 * Asks Turnstile whether a token is good.
 * https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
 */
import * as z from "zod";
import type { Turnstile } from "../../base/config/sign-in-settings";
import { jsonOf } from "../../base/json";
import { readText } from "./read-text";

const SITEVERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 16 * 1024;
/**
 * The second request has the idempotency key of the first, so that a token whose answer was lost does not count as
 * spent.
 */
const MAX_REQUESTS = 2;

const answer = z.object({
  success: z.boolean(),
  "error-codes": z.array(z.string()).default([]),
  hostname: z.string().optional(),
  action: z.string().optional(),
  metadata: z.object({ result_with_testing_key: z.boolean().optional() }).optional(),
});

/** What the token proves. */
export interface TokenVerdict {
  success: boolean;
  /** Where and for what the widget was shown; missing for a bad token. */
  hostname: string | undefined;
  action: string | undefined;
  /** The secret is one of those that Cloudflare documents for tests: the answer says nothing about a person. */
  isOfTestKey: boolean;
}

/**
 * The codes for a token that is wrong, has expired or was used before. Any other code is about the request or about
 * Turnstile itself.
 */
const OF_TOKEN = new Set(["missing-input-response", "invalid-input-response", "timeout-or-duplicate"]);

/** Throws when Turnstile gives no verdict within three seconds. */
export async function siteverify({ secret }: Turnstile, token: string): Promise<TokenVerdict> {
  const body = JSON.stringify({ secret, response: token, idempotency_key: crypto.randomUUID() });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for (let request = 1; ; request += 1) {
    try {
      return await ask(body, signal);
    } catch (error) {
      if (request === MAX_REQUESTS || signal.aborted || error instanceof Refused) throw error;
    }
  }
}

/** Turnstile did not judge the token, and asking again would not help. */
class Refused extends Error {}

async function ask(body: string, signal: AbortSignal): Promise<TokenVerdict> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(SITEVERIFY_URL, { method: "POST", headers, body, redirect: "manual", signal });
  const text = await readText(response, MAX_ANSWER_BYTES);
  const parsed = answer.safeParse(jsonOf(text));
  if (!parsed.success) throw new Error(`siteverify answered ${response.status} with something else`);
  const { success, hostname, action, metadata, "error-codes": codes } = parsed.data;
  const others = codes.filter((code) => !OF_TOKEN.has(code));
  if (!success && others.includes("internal-error")) throw new Error("siteverify failed");
  if (!success && others.length > 0) throw new Refused(`siteverify answered ${others.join(", ")}`);
  return { success, hostname, action, isOfTestKey: metadata?.result_with_testing_key === true };
}
