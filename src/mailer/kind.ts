/** What the mailer knows of a kind of mail, besides the shape of its jobs. */
import type { Deps } from "../base/deps";
import type { RuleName } from "../base/limits/rules";
import type { MailJob } from "../base/mail/job";
import type { MailContent } from "./render";

export interface PreparedMail {
  to: string;
  mail: MailContent;
  /** The limits that count this mail for its address. */
  limits: readonly RuleName[];
}

export interface MailKind<Job> {
  /**
   * Looks up whom the mail goes to, and stores the hash of a token that it carries. Returns null for a job whose reason
   * is gone: user deleted, address verified, invitation revoked, code expired.
   */
  prepare(deps: Deps, job: Job): Promise<PreparedMail | null>;
  /** Whether its jobs may be queued again but send one mail only. */
  isSentOnce?: boolean;
}

/** The jobs of a kind. */
export type JobOf<Kind extends MailJob["kind"]> = MailJob extends infer Job
  ? Job extends { kind: infer Kinds }
    ? Kind extends Kinds
      ? Job & { kind: Kind }
      : never
    : never
  : never;

/** A record for each of these kinds. */
export type KindsOf<Kind extends MailJob["kind"]> = { readonly [K in Kind]: MailKind<JobOf<K>> };
