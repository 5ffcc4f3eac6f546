/** Mails that report a change. If it can be undone, they have a link that does so without signing in. */

import type { MailJob } from "../base/mail/job";
import type { TextKey } from "../base/texts/en";
import { translated } from "../base/texts/known";
import type { Language } from "../base/texts/texts";
import type { MailedEmailChange } from "../identity/profile/email-change-store";
import { type Link, linkTo, type MailContent, mailTo } from "./render";

/** What every notice needs: the client's URL, whom to greet, and the texts in their language. */
export interface NoticeContext {
  appUrl: string;
  name: string | null;
  texts: Language;
}

/** What a notice of a change that can be undone needs. */
export interface RevertibleContext extends NoticeContext, Revert {}

interface Revert {
  /** The address below which the page is that undoes it. */
  pagesUrl: string;
  revertToken: string;
}

type Told = Pick<NoticeContext, "name" | "texts">;
type Values = Readonly<Record<string, string>>;

/** `undo`: the text that says what the link undoes. */
export const notMe = (
  { pagesUrl, revertToken, texts }: Revert & Pick<NoticeContext, "texts">,
  undo: TextKey,
  values: Values = {},
): (string | Link)[] => [
  texts.say("mail.notMe", { does: texts.say(undo, values) }),
  linkTo(pagesUrl, "not-me", revertToken, texts.say("verify.notMe")),
];

/** The kinds of notices whose texts have this part. */
type KindWith<Part extends string> = TextKey extends infer Key
  ? Key extends `mail.${infer Kind}.${Part}`
    ? Kind
    : never
  : never;
type ToldKind = KindWith<"subject"> & KindWith<"text">;
type RevertibleKind = ToldKind & KindWith<"undo">;

/** A notice with the link that undoes what it reports. */
const revertible = (context: Revert & Told, kind: RevertibleKind, values: Values = {}): MailContent =>
  plain(context, kind, values, notMe(context, `mail.${kind}.undo`, values));

/** A notice that ends with advice: to reset the password unless given. */
const plain = (
  { name, texts }: Told,
  kind: ToldKind,
  values: Values = {},
  advice: MailContent["body"] = [texts.say("mail.resetAdvice")],
): MailContent =>
  mailTo(texts, name, texts.say(`mail.${kind}.subject`, values), [texts.say(`mail.${kind}.text`, values), ...advice]);

/** To the former address, when the change is asked for and when it is done. */
export function emailChangedMail(
  link: Revert & Pick<NoticeContext, "texts">,
  { name, otherEmail: email }: MailedEmailChange,
  isDone: boolean,
): MailContent {
  const to = email === null ? "" : link.texts.say("mail.emailChanged.to", { email });
  return revertible({ ...link, name }, isDone ? "emailChanged" : "emailChanging", { to });
}

export const twoFactorChangedMail = (context: RevertibleContext, enabled: boolean): MailContent =>
  revertible(context, enabled ? "twoFactorOn" : "twoFactorOff");

export const recoveryCodesRenewedMail = (context: RevertibleContext): MailContent =>
  revertible(context, "codesRenewed");

export const passkeyAddedMail = (context: RevertibleContext, name: string): MailContent =>
  revertible(context, "passkeyAdded", { name });

export const passkeyRemovedMail = (context: NoticeContext, name: string): MailContent =>
  plain(context, "passkeyRemoved", { name });

export const apiKeyCreatedMail = (context: RevertibleContext, name: string): MailContent =>
  revertible(context, "keyCreated", { name });

export const platformKeyCreatedMail = (context: NoticeContext, name: string): MailContent =>
  plain(context, "platformKey", { name }, [context.texts.say("mail.platformKey.advice")]);

export const identityLinkedMail = (context: RevertibleContext, provider: string): MailContent =>
  revertible(context, "identityLinked", { provider });

export const signOnLinkedMail = (context: RevertibleContext, tenant: string): MailContent =>
  revertible(context, "signOnLinked", { tenant });

export const identityUnlinkedMail = (context: NoticeContext, provider: string): MailContent =>
  plain(context, "identityUnlinked", { provider });

export const recoveryCodeUsedMail = (context: NoticeContext, codesLeft: number): MailContent =>
  plain(context, "codeUsed", { left: context.texts.count("mail.codeUsed.left", codesLeft) });

type SignInJob = Extract<MailJob, { kind: "signedInOnNewDevice" }>;

export const newDeviceMail = (
  context: RevertibleContext,
  { device, location, ipAddress, signedInAt }: SignInJob,
): MailContent => {
  const { texts } = context;
  return plain(context, "newDevice", {}, [
    texts.say("mail.newDevice.when", { time: texts.moment(signedInAt) }),
    texts.say("mail.newDevice.device", { device: translated(texts, "device", device) }),
    ...(location ? [texts.say("mail.newDevice.place", { place: location })] : []),
    ...(ipAddress ? [texts.say("mail.newDevice.address", { address: ipAddress })] : []),
    texts.say("mail.newDevice.fine"),
    ...notMe(context, "mail.newDevice.undo"),
  ]);
};

/** The last mail to an address whose account is gone. */
export const accountDeletedMail = (context: NoticeContext, deletedAt: number): MailContent => {
  const { texts } = context;
  const more = [texts.say("mail.accountDeleted.notYou"), texts.say("mail.accountDeleted.again")];
  return plain(context, "accountDeleted", { time: texts.moment(deletedAt) }, more);
};

export const accountExportedMail = (context: NoticeContext): MailContent => plain(context, "exported");

export const tenantDeletedMail = (context: NoticeContext, tenant: string): MailContent =>
  plain(context, "tenantDeleted", { tenant }, [context.texts.say("mail.tenantDeleted.account")]);

export const refreshTokenReusedMail = (context: NoticeContext, app?: string): MailContent =>
  app === undefined
    ? plain(context, "sessionEnded", {}, [context.texts.say("mail.sessionEnded.again")])
    : plain(context, "appEnded", { app }, [context.texts.say("mail.appEnded.again")]);

export const appConnectedMail = (context: RevertibleContext, app: string): MailContent =>
  revertible(context, "appConnected", { app });

export const codesGuessedMail = (context: NoticeContext, pool: "totp" | "code"): MailContent =>
  pool === "totp"
    ? plain(context, "factorGuessed", {}, [context.texts.say("mail.factorGuessed.advice")])
    : plain(context, "codeGuessed", {}, [context.texts.say("mail.codeGuessed.advice")]);
