/** `/auth/sign-on/discover` and `/auth/sign-on/mail`: from an address to its provider. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { captchaToken, dataOf, email } from "../../base/schemas/schemas";
import { MAX_REQUEST_CHARACTERS } from "../../identity/sign-in/providers/api";
import { captchaFor } from "../../identity/turnstile/captcha";
import { discoverSignOn, leaveFor } from "./discover";
import { followLink, requestLink } from "./link";
import { discovered, linkRequest, typedAddress } from "./schemas";

const TYPED = {
  callers: "anybody",
  limit: { rule: "discover", per: "IP address" },
  captcha: captchaFor("sign-on"),
} as const;
const MAILED = { callers: "anybody", limit: { rule: "signOnMail", per: "IP address" } } as const;

/** From a page of ours: with where it goes on, or what an app asks for. */
const leaving = z.object({
  email,
  captchaToken,
  to: z.string().max(MAX_REQUEST_CHARACTERS),
  isForApps: z.boolean(),
});
const followed = z.object({ token: z.string().max(3 * MAX_REQUEST_CHARACTERS) });

export const discovery = {
  discover: endpoint({
    id: "discoverSignOn",
    summary: "Where somebody with this address signs on, if the page may tell.",
    description:
      "A URL only for an address of a proved domain with an active connection, whose `discovery` is `domain` or with " +
      "which this browser has signed on before: send the request from there, with its cookies. Everybody else gets " +
      "null, whoever they are.",
    ...TYPED,
    takesCookiesAcrossOrigins: true,
    schema: typedAddress,
    errors: ["CAPTCHA_REQUIRED"],
    answers: () => ({ 200: dataOf(discovered) }),
    verb: ({ deps, input, cookies }) => discoverSignOn(deps, input.email, cookies),
    answer: (c, signOn) => c.json({ data: { signOn } }),
  }),
  requestLink: endpoint({
    id: "mailSignOnLink",
    summary: "Mails a link that starts a sign-on, if the address is of a tenant's proved domain.",
    description:
      "The answer is the same for every address. The link works once, within 15 minutes, and begins with a button on " +
      "the page `/account/sign-on`. An address gets at most three mails in 15 minutes.",
    ...MAILED,
    schema: linkRequest,
    verb: ({ deps, input: { email, to = "" }, client }) => requestLink(deps, { email, to, isForApps: false }, client),
    answer: saying("Check your mail."),
  }),
  /** The same from pages of ours. */
  leave: operation({
    ...TYPED,
    schema: leaving,
    verb: ({ deps, input, client, cookies }) => leaveFor(deps, input, client.origin.ip ?? "", cookies),
  }),
  requestLinkOnPage: operation({
    ...MAILED,
    schema: leaving,
    verb: ({ deps, input, client }) => requestLink(deps, input, client),
  }),
  followLink: operation({
    callers: "anybody",
    limit: { rule: "signOn", per: "IP address" },
    schema: followed,
    verb: ({ deps, input, client, cookies }) => followLink(deps, input.token, client.origin.ip ?? "", cookies),
  }),
};

export const discoveryRoutes = routes({
  "POST /discover": discovery.discover,
  "POST /mail": discovery.requestLink,
});
