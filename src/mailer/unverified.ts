/**
 * Notices to unverified addresses. Whoever registered one may not own it, and must not write to its owner through us.
 */
import type { MailJob } from "../base/mail/job";

const HIDDEN = "(name not shown)";

/** The notice without names that a user chose; null for a kind that consists of them. Each kind is decided here. */
export function withoutNames<Job extends MailJob>(job: Job): Job | null {
  switch (job.kind) {
    case "tenantNotice":
    case "operatorNotice":
      return null;
    case "apiKeyCreated":
    case "platformKeyCreated":
      return { ...job, keyName: HIDDEN };
    case "passkeyAdded":
    case "passkeyRemoved":
      return { ...job, passkeyName: HIDDEN };
    case "tenantDeleted":
      return { ...job, tenantName: HIDDEN };
    case "subscriptionAlert": {
      const items = job.items.map((item) => ({ ...item, name: HIDDEN, host: "its host" }));
      return { ...job, tenantName: HIDDEN, items };
    }
    case "verification":
    case "passwordReset":
    case "mailCode":
    case "invitation":
    case "accountTakenOver":
    case "passwordChanged":
    case "emailConfirmation":
    case "emailChanged":
    case "twoFactorChanged":
    case "twoFactorRemoval":
    case "recoveryCodesRenewed":
    case "recoveryCodeUsed":
    case "identityLinked":
    case "identityUnlinked":
    case "signedInOnNewDevice":
    case "refreshTokenReused":
    case "accountExported":
    case "secondFactorGuessed":
    case "accountDeleted":
    case "alarm":
      return job;
  }
}
