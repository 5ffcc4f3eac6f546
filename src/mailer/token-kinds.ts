/** The mails whose link or code the reader needs to go on, and the one about another address. */
import { mailedPagesUrl } from "../base/config/oauth-settings";
import type { Deps } from "../base/deps";
import { mailToken, mailTokensOfKeys } from "../base/mail/token";
import { SETUP_PATH } from "../base/paths";
import type { RequestOrigin } from "../base/schemas/actor";
import { DAY_MS, HOUR_MS } from "../base/time";
import { insertVerificationToken, type Recipient } from "../identity/accounts/verification-store";
import { isExpired, mailCode } from "../identity/email-codes/code";
import { insertInvitationToken } from "../identity/invitations/store";
import { opensByMail } from "../identity/passwords/off";
import { readByHash } from "../identity/portal/session-store";
import { findEmailConfirmation, findEmailWarning } from "../identity/profile/email-change-store";
import { providerLabel } from "../identity/providers/labels";
import { insertResetTokenByEmail } from "../identity/recovery/password-store";
import { insertRemovalToken } from "../identity/recovery/two-factor-removal-store";
import { linkFor } from "../sign-on/discovery/link";
import type { JobOf, KindsOf } from "./kind";
import { emailChangedMail } from "./notices";
import { findCodeRecipientByEmail, findNoticeRecipient } from "./store";
import { textsFor } from "./texts-for";
import * as mails from "./token-mails";

const VERIFICATION_LIFETIME_MS = DAY_MS;
const RESET_LIFETIME_MS = HOUR_MS;
const REMOVAL_LIFETIME_MS = DAY_MS;

type TokenKind =
  | (
      | "verification"
      | "passwordReset"
      | "mailCode"
      | "signOnLink"
      | "invitation"
      | "accountTakenOver"
      | "twoFactorRemoval"
    )
  | ("emailConfirmation" | "emailChanged" | "setupLink");

export const TOKEN_KINDS: KindsOf<TokenKind> = {
  verification: {
    async prepare(deps, { id, userId }) {
      const { token, hash } = await mailToken(deps.keys, "verify", id);
      const stored = { hash, expiresAt: deps.now() + VERIFICATION_LIFETIME_MS };
      const user = await insertVerificationToken(deps, userId, stored, deps.now());
      if (!user) return null;
      const provider = user.provider && providerLabel(deps.config, user.provider);
      const losesPasskey = user.hasPasskey === 1 && opensByMail(deps.config);
      const mail = mails.verificationMail(
        await textsFor(deps, user),
        mailedPagesUrl(deps.config),
        user,
        { provider, losesPasskey },
        token,
      );
      return { to: user.email, mail, limits: ["verificationMail"] };
    },
  },
  invitation: {
    async prepare(deps, { id, tenantId, invitationId }) {
      const { token, hash } = await mailToken(deps.keys, "invite", id);
      const guest = await insertInvitationToken(deps, tenantId, invitationId, hash, deps.now());
      const mail =
        guest && mails.invitationMail(await textsFor(deps, guest), mailedPagesUrl(deps.config), guest, token);
      return mail && { to: guest.email, mail, limits: ["invitationMail"] };
    },
  },
  setupLink: {
    async prepare(deps, { id }) {
      for (const { token, hash } of await mailTokensOfKeys(deps.keys, "setup", id)) {
        const link = await readByHash(deps, "setup", hash);
        if (!link?.email || link.openedAt !== null) continue;
        const pagesUrl = `${deps.config.publicUrl ?? deps.config.tokenIssuer}${SETUP_PATH}`;
        const mail = mails.setupMail(await textsFor(deps, { locale: null }), pagesUrl, link, token);
        return { to: link.email, mail, limits: ["invitationMail"] };
      }
      return null;
    },
  },
  twoFactorRemoval: {
    async prepare(deps, { id, userId }) {
      const { token, hash } = await mailToken(deps.keys, "remove-factor", id);
      const stored = { hash, expiresAt: deps.now() + REMOVAL_LIFETIME_MS };
      const user = await insertRemovalToken(deps, userId, stored, deps.now());
      if (!user || user.emailVerifiedAt === null) return null;
      return {
        to: user.email,
        mail: mails.factorRemovalMail(await textsFor(deps, user), mailedPagesUrl(deps.config), user.name, token),
        limits: ["notice"],
      };
    },
  },
  passwordReset: {
    async prepare(deps, job) {
      const reset = await resetToken(deps, job.id, job.email, job.origin ?? null);
      const mail = reset && (await resetMailTo(deps, reset, job));
      return mail && { to: reset.user.email, mail, limits: [] };
    },
  },
  accountTakenOver: {
    async prepare(deps, job) {
      const user = await findNoticeRecipient(deps, job.userId, deps.now());
      const reset = user && (await resetToken(deps, job.id, user.email, null));
      const mail =
        reset && mails.reclaimedMail(await textsFor(deps, user), mailedPagesUrl(deps.config), job, reset.token);
      return mail && { to: reset.user.email, mail, limits: [] };
    },
  },
  /** An expired code would only confuse. */
  mailCode: {
    async prepare(deps, { id, email, asker, proves }) {
      if (isExpired(id, deps.now())) return null;
      const nobody = proves ? { email, name: null, locale: null, isVerified: 1 as const } : null;
      const user = (await findCodeRecipientByEmail(deps, email)) ?? nobody;
      if (!user) return null;
      const mail = mails.codeMail(await textsFor(deps, user), user, await mailCode(deps.keys, id), asker);
      return { to: user.email, mail, limits: [] };
    },
  },
  /** Nobody needs an account yet. */
  signOnLink: {
    async prepare(deps, { id, email, to, isForApps, asker }) {
      const url = await linkFor(deps, id, { email, to, isForApps });
      if (url === null) return null;
      const { locale = null } = (await findCodeRecipientByEmail(deps, email)) ?? {};
      const mail = mails.signOnLinkMail(await textsFor(deps, { locale }), url, asker);
      return { to: email, mail, limits: ["codeMail"] };
    },
  },
  emailConfirmation: {
    async prepare(deps, { id }) {
      const { operators } = deps.config;
      const find = (hash: string) => findEmailConfirmation(deps, hash, deps.now());
      const found = await changeByToken(deps, "change-email", id, find);
      if (!found) return null;
      const { change, token } = found;
      const isFree = change.isTaken === 0 && !operators.includes(change.email);
      const mail = mails.newEmailMail(
        await textsFor(deps, change),
        mailedPagesUrl(deps.config),
        change,
        isFree ? token : null,
      );
      return { to: change.email, mail, limits: ["verificationMail"] };
    },
  },
  /**
   * The mail to the former address has no limit: an intruder could use it up first. How often a change can be asked for
   * bounds it.
   */
  emailChanged: {
    async prepare(deps, { id, isDone }) {
      const found = await changeByToken(deps, "undo", id, (hash) => findEmailWarning(deps, hash));
      if (!found) return null;
      const { change, token: revertToken } = found;
      const link = { pagesUrl: mailedPagesUrl(deps.config), revertToken, texts: await textsFor(deps, change) };
      const mail = emailChangedMail(link, change, isDone);
      return { to: change.email, mail, limits: [] };
    },
  },
};

async function resetMailTo(
  deps: Deps,
  { user, token }: { user: Recipient; token: string },
  job: JobOf<"passwordReset">,
) {
  const urls = { pagesUrl: mailedPagesUrl(deps.config), appUrl: deps.config.appUrl };
  return mails.resetMail(await textsFor(deps, user), urls, user.name, token, job);
}

/** Makes a token with which a new password can be set; null when nobody has the address. */
async function resetToken(deps: Deps, mailId: string, email: string, origin: RequestOrigin | null) {
  const { token, hash } = await mailToken(deps.keys, "reset", mailId);
  const stored = { hash, expiresAt: deps.now() + RESET_LIFETIME_MS };
  const user = await insertResetTokenByEmail(deps, email, stored, origin, deps.now());
  return user && { user, token };
}

/** The change of an address that was stored with a token of this mail, under whichever key made it. */
async function changeByToken<Change>(
  { keys }: Deps,
  use: "change-email" | "undo",
  mailId: string,
  find: (hash: string) => Promise<Change | null | undefined>,
): Promise<{ change: Change; token: string } | null> {
  for (const { token, hash } of await mailTokensOfKeys(keys, use, mailId)) {
    const change = await find(hash);
    if (change) return { change, token };
  }
  return null;
}
