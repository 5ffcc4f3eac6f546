/** The mail that a password was changed, with what still works and what has ended. */
import type { EndedAccess, ListedCredential } from "../base/mail/job";
import { inWords } from "../base/texts/known";
import type { Language } from "../base/texts/texts";
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
  const { pagesUrl, name, texts, credentials, endedCredentials, old, labelOf, revokeApiKeysToken, ended } = context;
  const keys = credentials.filter(({ kind }) => kind === "api-key");
  const others = credentials.filter(({ kind }) => kind !== "api-key");
  const list = (of: readonly ListedCredential[]) => of.map((one) => describeCredential(texts, one, labelOf)).join("; ");
  return mailTo(texts, name, texts.say("mail.passwordChanged.subject"), [
    texts.say("mail.passwordChanged.text"),
    ...(ended ? [endedSentence(texts, ended)] : []),
    ...(endedCredentials.length === 0
      ? []
      : [texts.say("mail.passwordChanged.ended", { list: list(endedCredentials) })]),
    ...(others.length === 0 ? [] : [texts.say("mail.passwordChanged.signIn", { list: list(others) })]),
    ...describeOld(texts, old),
    ...notMe(context, "mail.passwordChanged.undo"),
    ...(keys.length === 0
      ? []
      : [
          texts.say("mail.passwordChanged.keys", { list: list(keys) }),
          linkTo(pagesUrl, "not-me", revokeApiKeysToken, texts.say("mail.passwordChanged.revoke")),
        ]),
  ]);
}

/** Whoever registered an address need not own it. */
const describeOld = (texts: Language, { subscriptions, tenantKeys, connections }: SetUp): string[] =>
  (
    [
      ["mail.passwordChanged.oldSubscriptions", subscriptions],
      ["mail.passwordChanged.oldKeys", tenantKeys],
      ["mail.passwordChanged.oldConnections", inWords(texts, connections)],
    ] as const
  ).flatMap(([key, names]) => (names.length === 0 ? [] : [texts.say(key, { list: names.join(", ") })]));

/** What it is called, and what it can do: an API key its scopes, everything else signs in. */
function describeCredential(
  texts: Language,
  { kind, name, place, scopes }: ListedCredential,
  labelOf: (provider: string) => string,
): string {
  if (kind === "passkey") return texts.say("mail.credential.passkey", { name });
  if (kind === "identity") {
    const provider = labelOf(name);
    return place === "" ? provider : texts.say("mail.credential.identity", { provider, email: place });
  }
  const [prefix = "", tenant = ""] = place.split(/ in (.*)/s);
  const listed = (JSON.parse(scopes) as string[]).join(", ");
  return texts.say("mail.credential.key", { name, prefix, tenant, scopes: listed });
}
