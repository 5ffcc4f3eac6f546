/** Notices: mails to a user that say what has happened. */
import { mailedPagesUrl } from "../base/config/oauth-settings";
import type { Deps } from "../base/deps";
import type { RuleName } from "../base/limits/rules";
import { mailToken, mailTokensOfKeys } from "../base/mail/token";
import type { Language } from "../base/texts/texts";
import type { MailKind } from "./kind";
import type { NoticeContext, RevertibleContext } from "./notices";
import type { MailContent } from "./render";
import { findNoticeRecipient, findStoredHash, type NoticeRecipient } from "./store";
import { textsFor } from "./texts-for";

/** What the text of a notice is made of, besides its job. */
export interface Told {
  deps: Deps;
  user: NoticeRecipient;
  context: NoticeContext;
  /** With the token of the link "this was not me". */
  revertible: RevertibleContext;
}

/**
 * The job without names that a user chose, for an unverified address: whoever registered it may not own it, and must
 * not write to its owner through us. Null for a kind that consists of such names.
 */
type WithoutNames<Job> = (job: Job, texts: Language) => Job | null;

/** For a kind that has no names. */
export const same = <Job>(job: Job): Job => job;
/** For a kind that consists of names. */
export const nothing = <Job>(_: Job): Job | null => null;

/** The limits of a frequent kind, which has a lower one of its own, so that it cannot use up that of the others. */
export const MINOR = { limits: (): readonly RuleName[] => ["minorNotice", "notice"] };

interface Sending<Job> {
  /** The limits that count it; `notice` unless given. */
  limits?: (job: Job) => readonly RuleName[];
  isSentOnce?: boolean;
}

/**
 * The kind of a notice. The owner of an unverified address may not be the owner of the account. So notices go to
 * verified addresses only; where verification is optional, those to others are without the words of a stranger.
 */
export const notice = <Job extends { id: string; userId: string }>(
  withoutNames: WithoutNames<Job>,
  text: (job: Job, told: Told) => MailContent | Promise<MailContent>,
  { limits = () => ["notice"], isSentOnce = false }: Sending<Job> = {},
): MailKind<Job> => ({
  isSentOnce,
  async prepare(deps, job) {
    const user = await findNoticeRecipient(deps, job.userId, deps.now());
    if (!user) return null;
    const isVerified = user.emailVerifiedAt !== null;
    const takesOthers = deps.config.emailVerification !== "required";
    const shown = isVerified ? job : takesOthers ? withoutNames(job, await textsFor(deps, user)) : null;
    if (!shown) return null;
    const told = await toldTo(deps, job.id, isVerified ? user : { ...user, name: null, credentials: [] });
    return { to: user.email, mail: await text(shown, told), limits: limits(job) };
  },
});

async function toldTo(deps: Deps, mailId: string, user: NoticeRecipient): Promise<Told> {
  const context = { appUrl: deps.config.appUrl, name: user.name, texts: await textsFor(deps, user) };
  const pagesUrl = mailedPagesUrl(deps.config);
  const revertToken = await storedToken(deps, "undo", mailId);
  return { deps, user, context, revertible: { ...context, pagesUrl, revertToken } };
}

/** The token that was stored with the change: made with the key that was the newest at that time. */
export async function storedToken(deps: Deps, use: "undo" | "revoke-api-keys", mailId: string): Promise<string> {
  const tokens = await mailTokensOfKeys(deps.keys, use, mailId);
  const hashes = tokens.map(({ hash }) => hash);
  const stored = tokens.length > 1 ? await findStoredHash(deps, hashes) : null;
  const { token } = tokens.find(({ hash }) => hash === stored) ?? (await mailToken(deps.keys, use, mailId));
  return token;
}
