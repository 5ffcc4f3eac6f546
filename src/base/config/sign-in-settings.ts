/** The settings of registration and sign-in. */
import * as z from "zod";
import { registration, widgetKey } from "../schemas/settings";

export const TURNSTILE_VARIABLES = {
  TURNSTILE_SITE_KEY: {
    description:
      "The site key of a Turnstile widget; see [Turnstile](operations.md#turnstile). Empty: no widget is shown or " +
      "asked for.",
    must: "be the site key of a Turnstile widget, or empty; set it with TURNSTILE_SECRET",
    schema: widgetKey,
  },
  TURNSTILE_SECRET: {
    description: "The secret key of the same Turnstile widget. A secret, not a variable; optional.",
    must: "be the secret key of a Turnstile widget, or missing; set it with TURNSTILE_SITE_KEY",
    schema: widgetKey,
  },
} as const;

export const SIGN_IN_VARIABLES = {
  REGISTRATION: {
    description:
      "Who may register without an invitation: everybody (`open`), nobody (`invite`), or addresses of the given " +
      "domains (`domains:example.com,example.org`).",
    must: 'be "open", "invite", or "domains:" and a comma-separated list of domains',
    schema: registration.prefault("open"),
  },
  PERSONAL_TENANTS: {
    description:
      "Whether somebody who is a member of no tenant gets one of their own when they sign in or register. `off`: a " +
      "sign-in answers 403 `NO_TENANT`, and so does a registration without an invitation and without `tenantName`.",
    must: 'be "on" or "off"',
    schema: z.enum(["on", "off"]).prefault("on"),
  },
  ...TURNSTILE_VARIABLES,
  LINK_BY_EMAIL: {
    description:
      "Whether the first sign-in with a provider opens an account that has the same address: `ask` for a mailed " +
      "code, `always`, or `never`. Addresses in `OPERATORS` are never opened in this way.",
    must: 'be "ask", "always" or "never"',
    schema: z.enum(["ask", "always", "never"]).prefault("ask"),
  },
  EMAIL_VERIFICATION: {
    description: "Whether login requires a verified email address.",
    must: 'be "required" or "optional"',
    schema: z.enum(["required", "optional"]),
  },
  MAIL_CODE: {
    description: "Whether people can sign in with a code that is mailed to them.",
    must: 'be "on" or "off"',
    schema: z.enum(["on", "off"]).prefault("on"),
  },
  PASSWORDS: {
    description:
      "Whether people can have passwords. `off`: everybody signs in with passkeys, providers or mailed codes, and " +
      "whatever takes a password answers 403.",
    must: 'be "on" or "off"',
    schema: z.enum(["on", "off"]).prefault("on"),
  },
  COMMON_PASSWORDS: {
    description: "Whether the most common passwords are refused.",
    must: 'be "refuse" or "allow"',
    schema: z.enum(["refuse", "allow"]),
  },
} as const;

/** The keys of a Turnstile widget. */
export interface Turnstile {
  siteKey: string;
  secret: string;
}

type Read = (name: keyof typeof TURNSTILE_VARIABLES) => string;

/** Combines the variables; null: nobody is asked to confirm that they are human. Adds to `refused` what is wrong. */
export function readTurnstile(read: Read, refused: string[]): Turnstile | null {
  const [siteKey, secret] = [read("TURNSTILE_SITE_KEY"), read("TURNSTILE_SECRET")];
  if (siteKey !== "" && secret !== "") return { siteKey, secret };
  if (siteKey !== secret) refused.push("TURNSTILE_SITE_KEY and TURNSTILE_SECRET must both be set, or neither");
  return null;
}
