/**
 * Turnstile protects what bots abuse: registration, mails to an address that anybody can enter, and login after wrong
 * guesses.
 */

import type { Turnstile } from "../../base/config/sign-in-settings";
import type { Deps } from "../../base/deps";
import { AppError, unavailable } from "../../base/errors";
import { describeError, log } from "../../base/log/log";
import type { Captcha } from "../../base/operation";
import { siteverify } from "./siteverify";

/** What the widget is shown for. A token for one action is not accepted for another. */
export type CaptchaAction = "register" | "forgot-password" | "code" | "login" | "sign-on";

/** A login needs a token after this many wrong guesses in a row for its address. */
const GUESSES_WITHOUT_TOKEN = 3;

/**
 * Requires a good token if Turnstile is set up. Throws CAPTCHA_REQUIRED, or SERVICE_UNAVAILABLE when Turnstile gives no
 * verdict.
 */
async function requireCaptcha(deps: Deps, action: CaptchaAction, token: string | undefined): Promise<void> {
  const { turnstile } = deps.config;
  if (turnstile === null) return;
  if (token === undefined) throw new AppError("CAPTCHA_REQUIRED");
  if (!(await orUnavailable(isGood(deps, turnstile, action, token)))) throw new AppError("CAPTCHA_REQUIRED");
}

/** The captcha of an operation that needs a token each time. */
export const captchaFor = (action: CaptchaAction): Captcha<{ captchaToken?: string | undefined }> => ({
  action,
  check: (deps, { captchaToken }) => requireCaptcha(deps, action, captchaToken),
});

/** Does the same for a login after three wrong guesses for its address, whether or not an account has it. */
async function requireLoginCaptcha(deps: Deps, email: string, token: string | undefined): Promise<void> {
  if (deps.config.turnstile === null) return;
  if ((await deps.guesses.wrongGuesses(email)) < GUESSES_WITHOUT_TOKEN) return;
  await requireCaptcha(deps, "login", token);
}

export const loginCaptcha: Captcha<{ email: string; captchaToken?: string | undefined }> = {
  action: "login",
  check: (deps, { email, captchaToken }) => requireLoginCaptcha(deps, email, captchaToken),
};

/** Also checks the host name: a foreign page that shows our widget gets tokens with its own. */
async function isGood(
  { config, ownHosts }: Deps,
  turnstile: Turnstile,
  action: CaptchaAction,
  token: string,
): Promise<boolean> {
  const { success, hostname, isOfTestKey, ...verdict } = await siteverify(turnstile, token);
  // A test key lets everybody pass, so it is good for development only. Its answers name no page of ours.
  if (isOfTestKey && !isLoopback(hostnameOf(config.appUrl))) throw new Error("TURNSTILE_SECRET is a test key");
  if (!success || isOfTestKey) return success;
  const pages = [config.appUrl, ...config.corsOrigins, ...ownHosts.map((host) => `https://${host}`)];
  return verdict.action === action && hostname !== undefined && pages.map(hostnameOf).includes(hostname);
}

/** Callers who cannot be checked are refused. */
async function orUnavailable<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    log("error", "captcha not verified", describeError(error));
    throw unavailable({ cause: error });
  }
}

const hostnameOf = (url: string): string => new URL(url).hostname;

const isLoopback = (hostname: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
