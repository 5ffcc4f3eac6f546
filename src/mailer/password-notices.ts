/** The mail that a password was changed, with what still works and what has ended. */
import type { EndedAccess, ListedCredential } from "../base/mail/job";
import { notMe, type RevertibleContext } from "./notices";
import { linkTo, type MailContent, mailTo } from "./render";
import { endedSentence } from "./token-mails";

interface SetUp {
  subscriptions: readonly string[];
  /** API keys that belong to a tenant. */
  tenantKeys: readonly string[];
  /** Feeds and sources, such as `feed "Billing"`. */
  connections: readonly string[];
}

interface PasswordContext extends RevertibleContext {
  /** What still works. */
  credentials: readonly ListedCredential[];
  /** What a reset has ended, without a reclaimed account. */
  endedCredentials: readonly ListedCredential[];
  /** After a reset: what was set up before the address was verified. */
  old: SetUp;
  labelOf: (provider: string) => string;
  revokeApiKeysToken: string;
  /** Present after a reset that reclaimed an unverified account. */
  ended: EndedAccess | undefined;
}

export function passwordChangedMail(context: PasswordContext): MailContent {
  const { pagesUrl, name, credentials, endedCredentials, old, labelOf, revokeApiKeysToken, ended } = context;
  const keys = credentials.filter(({ kind }) => kind === "api-key");
  const others = credentials.filter(({ kind }) => kind !== "api-key");
  const list = (of: readonly ListedCredential[]) => of.map((one) => describeCredential(one, labelOf)).join("; ");
  return mailTo(name, "Your password was changed", [
    "The password of your account was changed.",
    ...(ended ? [endedSentence(ended)] : []),
    ...(endedCredentials.length === 0 ? [] : [`These have ended with it: ${list(endedCredentials)}.`]),
    ...(others.length === 0 ? [] : [`These can still sign in as you: ${list(others)}.`]),
    ...describeOld(old),
    ...notMe(context, "makes the new password invalid"),
    ...(keys.length === 0
      ? []
      : [
          `These API keys of yours still work: ${list(keys)}.`,
          linkTo(pagesUrl, "not-me", revokeApiKeysToken, "Revoke all of them (works for 72 hours)"),
        ]),
  ]);
}

/** Whoever registered an address need not own it. */
const describeOld = ({ subscriptions, tenantKeys, connections }: SetUp): string[] => [
  ...(subscriptions.length === 0
    ? []
    : [
        "These subscriptions were set up before your address was verified, and still receive events: " +
          `${subscriptions.join(", ")}. Pause those that you do not know.`,
      ]),
  ...(tenantKeys.length === 0
    ? []
    : [
        "These API keys of your tenants were made before your address was verified, and still work: " +
          `${tenantKeys.join(", ")}. Revoke those that you do not know.`,
      ]),
  ...(connections.length === 0
    ? []
    : [
        "These feeds and sources of your tenants were set up before your address was verified, and still work: " +
          `${connections.join(", ")}. Replace their tokens and secrets, or turn off those that you do not know.`,
      ]),
];

/** What it is called, and what it can do: an API key its scopes, everything else signs in. */
function describeCredential({ kind, name, place, scopes }: ListedCredential, labelOf: (provider: string) => string) {
  if (kind === "passkey") return `the passkey "${name}"`;
  if (kind === "identity") return place === "" ? labelOf(name) : `${labelOf(name)} as ${place}`;
  const [prefix = "", tenant = ""] = place.split(/ in (.*)/s);
  return `"${name}" (${prefix}) in ${tenant}, for ${(JSON.parse(scopes) as string[]).join(", ")}`;
}
