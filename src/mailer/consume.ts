/** The consumer of the mail queue, the only code that asks the email provider. */
import type { Deps } from "../deps";
import { describeError, log } from "../log";
import { type MailJob, mailJob } from "../mail/job";
import { HOUR_MS } from "../time";
import { claimAlert, settleAlert } from "./alerts-store";
import { type PreparedMail, prepareMail } from "./prepare";

const FIRST_RETRY_SECONDS = 30;
const LONGEST_RETRY_SECONDS = (6 * HOUR_MS) / 1000;

/** How long to wait after try number `attempt`, counted from 1. With `max_retries` of wrangler.toml, the last try is after more than a day. */
export const retryDelaySeconds = (attempt: number): number =>
  Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), LONGEST_RETRY_SECONDS);

/**
 * Codes of the `send_email` binding for a message that will never be accepted. Errors in the sender's domain or in a daily limit are not
 * among them: the operator can mend those within the day.
 */
const PERMANENT_CODES = new Set([
  "E_VALIDATION_ERROR",
  "E_FIELD_MISSING",
  "E_TOO_MANY_RECIPIENTS",
  "E_RECIPIENT_NOT_ALLOWED",
  "E_RECIPIENT_SUPPRESSED",
  "E_CONTENT_TOO_LARGE",
]);

const codeOf = (error: unknown): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
};

const isPermanent = (error: unknown): boolean => {
  const code = codeOf(error);
  return code !== undefined && (PERMANENT_CODES.has(code) || code.startsWith("E_HEADER"));
};

/** Mails whose jobs may be queued again. */
const SENT_ONCE: ReadonlySet<MailJob["kind"]> = new Set<MailJob["kind"]>([
  "subscriptionAlert",
  "accountDeleted",
  "tenantDeleted",
]);

/** Sends the mails of a batch, each for itself. Never throws. */
export async function consumeMail(deps: Deps, batch: MessageBatch): Promise<void> {
  for (const message of batch.messages) {
    const job = mailJob.safeParse(message.body);
    if (job.success) await handle(deps, message, job.data);
    else {
      log("error", "message of unknown shape dropped", { queue: batch.queue, messageId: message.id });
      message.ack();
    }
  }
}

async function handle(deps: Deps, message: Message, job: MailJob): Promise<void> {
  try {
    await (SENT_ONCE.has(job.kind) ? sendOnce(deps, job, message.attempts) : sendMail(deps, job, message.attempts));
    message.ack();
  } catch (error) {
    const fields = {
      mailKind: job.kind,
      queueAttempt: message.attempts,
      reason: codeOf(error),
      ...describeError(error),
    };
    if (isPermanent(error)) {
      log("error", "mail refused", fields);
      message.ack();
    } else {
      log("warn", "mail not sent", fields);
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
    }
  }
}

/** Sends the mail of a job, unless its reason is gone or its address has had enough mails. Throws when the provider refuses. */
async function sendMail(deps: Deps, job: MailJob, attempt: number): Promise<void> {
  const prepared = await prepareMail(deps, job);
  if (!prepared) return;
  // Later tries are of a mail that has been counted.
  if (attempt === 1 && !(await withinLimits(deps, prepared))) {
    log("warn", "mail over the limit of its address", { mailKind: job.kind });
    return;
  }
  await deps.mailer.send({ from: deps.config.mailFrom, to: prepared.to, ...prepared.mail });
}

/** Sends the mail of a job unless a job with the same id has sent it. Throws when the provider refuses, or when another consumer is sending it. */
async function sendOnce(deps: Deps, job: MailJob, attempt: number): Promise<void> {
  const claim = await claimAlert(deps, job.id, deps.now());
  if (claim === "sent") return;
  if (claim === "busy") throw new Error("another consumer is sending this mail");
  try {
    await sendMail(deps, job, attempt);
  } catch (error) {
    await settleAlert(deps, job.id, null);
    throw error;
  }
  await settleAlert(deps, job.id, deps.now());
}

async function withinLimits(deps: Deps, { to, limits }: PreparedMail): Promise<boolean> {
  for (const name of limits) {
    const verdict = await deps.limiter.consume(name, to);
    if (verdict?.allowed === false) return false;
  }
  return true;
}
