/** How people verify an address, get back into an account, and change its password. */
import { operation } from "../../base/operation";
import { captchaFor } from "../turnstile/captcha";
import { resendVerification, verifyEmail } from "./email-verification";
import { changePassword, forgotPassword, resetPassword } from "./password";
import { reportNotMe } from "./revert";
import { changeBody, factorRemoval, forgotBody, notMeBody, resetBody, verificationBody } from "./schemas";
import { removeLostFactor } from "./two-factor-removal";

/** Following a link of a mail. */
const LINK = { callers: "anybody", limit: { rule: "verifyEmail", per: "IP address" } } as const;

export const recovery = {
  verifyEmail: operation({
    ...LINK,
    schema: verificationBody,
    verb: ({ deps, input, client, holder }) => verifyEmail(deps, input.token, client.origin, holder?.userId ?? null),
  }),
  reportNotMe: operation({
    ...LINK,
    schema: notMeBody,
    verb: ({ deps, input, client }) => reportNotMe(deps, input.token, client.origin),
  }),
  removeLostFactor: operation({
    ...LINK,
    schema: factorRemoval,
    verb: ({ deps, input, client }) => removeLostFactor(deps, input.token, client.origin),
  }),
  forgotPassword: operation({
    callers: "anybody",
    limit: { rule: "forgotPassword", per: "IP address" },
    captcha: captchaFor("forgot-password"),
    schema: forgotBody,
    verb: ({ deps, input, client }) => forgotPassword(deps, input.email, client.origin),
  }),
  resetPassword: operation({
    callers: "anybody",
    limit: { rule: "resetPassword", per: "IP address" },
    schema: resetBody,
    verb: ({ deps, input, client }) => resetPassword(deps, input, client.origin),
  }),
  resendVerification: operation({
    openWhenSuspended: true,
    limit: { rule: "resendVerification", per: "user" },
    verb: ({ deps, principal }) => resendVerification(deps, principal.userId),
  }),
  changePassword: operation({
    openWhenSuspended: true,
    limit: { rule: "changePassword", per: "user" },
    schema: changeBody,
    verb: ({ deps, session, input }) => changePassword(deps, session, input),
  }),
};
