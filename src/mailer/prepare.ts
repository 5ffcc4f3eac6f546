/** Turns a job into a mail, as the record of its kind says. */
import type { Deps } from "../base/deps";
import type { MailJob } from "../base/mail/job";
import { alarmMail } from "./alarm-mail";
import type { KindsOf, MailKind, PreparedMail } from "./kind";
import { NOTICE_KINDS } from "./notice-kinds";
import { accountDeletedMail } from "./notices";
import { textsFor } from "./texts-for";
import { TOKEN_KINDS } from "./token-kinds";

const KINDS: KindsOf<MailJob["kind"]> = {
  ...TOKEN_KINDS,
  ...NOTICE_KINDS,
  accountDeleted: {
    isSentOnce: true,
    // Needs no check of the address: the deletion has already checked that notices may go to it.
    prepare: async (deps, { email, name, deletedAt, locale = null }) => ({
      to: email,
      mail: accountDeletedMail(
        { appUrl: deps.config.appUrl, name, texts: await textsFor(deps, { locale }) },
        deletedAt,
      ),
      limits: ["notice"],
    }),
  },
  alarm: {
    isSentOnce: true,
    // The setting may have gone since the job was queued.
    async prepare(deps, job) {
      const to = deps.config.alertMail;
      if (to === null) return null;
      const texts = await textsFor(deps, { locale: null });
      return { to, mail: alarmMail(deps.config, texts, job), limits: ["alertMail"] };
    },
  },
};

// The record of a job's kind takes that job, which TypeScript cannot tell from a union of kinds.
const kindOf = ({ kind }: MailJob) => KINDS[kind] as MailKind<MailJob>;

/** Returns null for a job whose reason is gone. */
export const prepareMail = (deps: Deps, job: MailJob): Promise<PreparedMail | null> => kindOf(job).prepare(deps, job);

/** Whether a job may be queued again but sends one mail only. */
export const isSentOnce = (job: MailJob): boolean => kindOf(job).isSentOnce === true;
