/** Which pages show the Turnstile widget, and its settings. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import type { Operation } from "../../base/operation";
import type { CaptchaProps } from "../components/captcha";
import { pathHere } from "./mount";

const PAGES = new Set([
  "/sign-in",
  "/sign-in/address",
  "/sign-in/mail",
  "/register",
  "/register/passkey/options",
  "/sign-up",
  "/sign-up/passkey/options",
  "/forgot-password",
  "/oauth",
  "/oauth/mail-code",
]);

/** Whether the requested page may show the widget, for its Content-Security-Policy. */
export const mayShowCaptcha = (c: Context<AppEnv>): boolean =>
  c.get("deps").config.turnstile !== null && PAGES.has(pathHere(c));

/** The widget for an operation; null where Turnstile is not set up. */
export function captchaFor(c: Context<AppEnv>, { captcha }: Operation<unknown, unknown>): CaptchaProps | null {
  const { turnstile } = c.get("deps").config;
  return turnstile && captcha
    ? { siteKey: turnstile.siteKey, action: captcha.action, nonce: c.get("secureHeadersNonce") }
    : null;
}
