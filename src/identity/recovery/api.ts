/** `/auth`: email verification, password reset and password change, and a lost second factor. */
import { createMiddleware } from "hono/factory";
import { endpoint, routes } from "../../base/http/endpoint";
import type { AppEnv } from "../../base/http/env";
import { saying } from "../../base/http/operation";
import { originOf } from "../../base/http/origin";
import { says } from "../../base/schemas/schemas";
import { authenticateSession } from "../sessions/authenticate";
import { captchaFor } from "../turnstile/captcha";
import { resendVerification, verifyEmail } from "./email-verification";
import { changePassword, forgotPassword, resetPassword } from "./password";
import { REVERT_MESSAGES, reportNotMe } from "./revert";
import { changeBody, factorRemoval, forgotBody, notMeBody, resetBody, verificationBody } from "./schemas";
import { removeLostFactor } from "./two-factor-removal";

const FACTOR_REMOVED = "Two-factor authentication is off. Sign in and set it up again.";

const RESET_QUEUED = "If an account exists for that email, a reset link has been sent.";

/** Notes whose access token comes with a request that needs none. */
const noteHolder = createMiddleware<AppEnv>(async (c, next) => {
  const token = c.req.header("authorization")?.match(/^Bearer +([\w.-]{1,4000})$/i)?.[1];
  const holder = token ? await authenticateSession(c.get("deps"), token, originOf(c)) : null;
  if (holder) c.set("principal", holder);
  await next();
});

/** Following a link of a mail. */
const LINK = { callers: "anybody", limit: { rule: "verifyEmail", per: "IP address" } } as const;

export const recovery = {
  verifyEmail: endpoint({
    id: "verifyEmail",
    summary: "Verifies an email address with a mailed token.",
    description:
      "If a sign-in with a provider or a passkey created the account, that is removed from it, unless the request " +
      "has an access token of the account: somebody else may have entered the address. A passkey stays where " +
      "neither a password nor a mailed code opens accounts.",
    ...LINK,
    schema: verificationBody,
    errors: ["INVALID_TOKEN"],
    answers: () => ({ 200: says("Email verified successfully.", "Email already verified.") }),
    first: noteHolder,
    verb: ({ deps, input, client, holder }) => verifyEmail(deps, input.token, client.origin, holder?.userId ?? null),
    answer: (c, message) => c.json({ message }),
  }),
  reportNotMe: endpoint({
    id: "reportNotMe",
    summary:
      "Undoes what a mail reports, with the token of its link. With a verification token, reclaims an account " +
      "that somebody else registered.",
    description:
      "The links work once, within 72 hours. All links but those that revoke API keys also undo what the account " +
      "has done in its tenants since: invitations, members who joined by them, roles, subscriptions, API keys of " +
      "tenants, sources and platform keys. An email lists it.",
    ...LINK,
    schema: notMeBody,
    errors: ["INVALID_TOKEN"],
    answers: () => ({
      200: says(
        REVERT_MESSAGES.undone,
        REVERT_MESSAGES.undoneWithoutFactor,
        REVERT_MESSAGES.apiKeys,
        REVERT_MESSAGES.reclaimed,
      ),
    }),
    verb: ({ deps, input, client }) => reportNotMe(deps, input.token, client.origin),
    answer: (c, reverted) => c.json({ message: REVERT_MESSAGES[reverted] }),
  }),
  removeLostFactor: endpoint({
    id: "removeLostTwoFactor",
    summary: "Turns two-factor authentication off with the token of a mailed link.",
    description:
      "For somebody who has lost the authenticator app and the recovery codes: an operator of the service has " +
      "the link mailed. It works once, within 24 hours, and ends all sessions.",
    ...LINK,
    schema: factorRemoval,
    errors: ["INVALID_TOKEN"],
    verb: ({ deps, input, client }) => removeLostFactor(deps, input.token, client.origin),
    answer: saying(FACTOR_REMOVED),
  }),
  forgotPassword: endpoint({
    id: "forgotPassword",
    summary: "Mails a reset link if the account exists.",
    callers: "anybody",
    limit: { rule: "forgotPassword", per: "IP address" },
    captcha: captchaFor("forgot-password"),
    schema: forgotBody,
    errors: ["CAPTCHA_REQUIRED"],
    verb: ({ deps, input, client }) => forgotPassword(deps, input.email, client.origin),
    answer: saying(RESET_QUEUED),
  }),
  resetPassword: endpoint({
    id: "resetPassword",
    summary: "Sets a new password with a mailed token and ends every session of the user.",
    description:
      "API keys, passkeys and sign-ins with providers from before the address was verified end too, because " +
      "somebody else may have added them. The user is told by mail what has ended and what still works.",
    callers: "anybody",
    limit: { rule: "resetPassword", per: "IP address" },
    schema: resetBody,
    errors: ["INVALID_TOKEN", "TOKEN_EXPIRED"],
    verb: ({ deps, input, client }) => resetPassword(deps, input, client.origin),
    answer: saying("Password reset successfully."),
  }),
  resendVerification: endpoint({
    id: "resendVerification",
    summary: "Mails the verification link again.",
    openWhenSuspended: true,
    limit: { rule: "resendVerification", per: "user" },
    answers: () => ({ 200: says("Verification email sent.", "Email already verified.") }),
    verb: ({ deps, principal }) => resendVerification(deps, principal.userId),
    answer: (c, message) => c.json({ message }),
  }),
  changePassword: endpoint({
    id: "changePassword",
    summary: "Changes the password and ends every other session of the user.",
    openWhenSuspended: true,
    limit: { rule: "changePassword", per: "user" },
    schema: changeBody,
    errors: ["WRONG_PASSWORD", "ACCOUNT_LOCKED", "SERVICE_UNAVAILABLE"],
    verb: ({ deps, session, input }) => changePassword(deps, session, input),
    answer: saying("Password changed successfully."),
  }),
};

export const publicRecoveryRoutes = routes({
  "POST /verify-email": recovery.verifyEmail,
  "POST /not-me": recovery.reportNotMe,
  "POST /2fa/remove": recovery.removeLostFactor,
  "POST /forgot-password": recovery.forgotPassword,
  "POST /reset-password": recovery.resetPassword,
});

export const passwordRoutes = routes({
  "POST /resend-verification": recovery.resendVerification,
  "POST /change-password": recovery.changePassword,
});
