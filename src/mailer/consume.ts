/** The consumer of the mail queue, and the only code that calls the email provider. */
import { count, handOverCounts } from "../base/counts";
import type { Deps } from "../base/deps";
import { describeError, log } from "../base/log/log";
import { type MailJob, mailJob } from "../base/mail/job";
import { HOUR_MS } from "../base/time";
import { forgetFailures, noteFailures } from "./failures-store";
import type { PreparedMail } from "./kind";
import { isSentOnce, prepareMail } from "./prepare";
import { renderMail } from "./render";
import { claimMail, settleMail } from "./sent-once-store";

const FIRST_RETRY_SECONDS = 30;
const LONGEST_RETRY_SECONDS = (6 * HOUR_MS) / 1000;

/**
 * How long to wait after try number `attempt`, counted from 1. With `max_retries` in wrangler.toml, tries go on for
 * more than a day.
 */
export const retryDelaySeconds = (attempt: number): number =>
  Math.min(FIRST_RETRY_SECONDS * 2 ** (attempt - 1), LONGEST_RETRY_SECONDS);

/**
 * Codes of the `send_email` binding for a message that will never be accepted. Problems with the sender's domain or a
 * daily limit are not included, because the operator can solve them within the day.
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

/** How many mails of a batch the provider has accepted, and how many it could not accept for now. */
interface Tally {
  sent: number;
  failed: number;
}

/** Sends the mails of a batch, each independently. Never throws. */
export async function consumeMail(deps: Deps, batch: MessageBatch): Promise<void> {
  const tally: Tally = { sent: 0, failed: 0 };
  for (const message of batch.messages) {
    const job = mailJob.safeParse(message.body);
    if (job.success) await handle(deps, message, job.data, tally);
    else {
      log("error", "message of unknown shape dropped", { queue: batch.queue, messageId: message.id });
      message.ack();
    }
  }
  await noteTally(deps, tally);
  handOverCounts(deps);
}

/** Notes whether mails can be sent, for the alarm about it. */
async function noteTally(deps: Deps, { sent, failed }: Tally): Promise<void> {
  try {
    if (sent > 0) await forgetFailures(deps);
    else if (failed > 0) await noteFailures(deps, failed, deps.now());
  } catch (error) {
    log("error", "failing mails not noted", { count: failed, ...describeError(error) });
  }
}

async function handle(deps: Deps, message: Message, job: MailJob, tally: Tally): Promise<void> {
  try {
    const send = isSentOnce(job) ? sendOnce : sendMail;
    await send(deps, job, message.attempts, tally);
    message.ack();
  } catch (error) {
    const fields = {
      mailKind: job.kind,
      queueAttempt: message.attempts,
      reason: codeOf(error),
      ...describeError(error),
    };
    if (isPermanent(error)) {
      count("mails", "refused");
      log("error", "mail refused", fields);
      message.ack();
    } else {
      log("warn", "mail not sent", fields);
      message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
    }
  }
}

/**
 * Sends the mail of a job, unless its reason is gone or its address has had too many mails. Throws when the provider
 * refuses.
 */
async function sendMail(deps: Deps, job: MailJob, attempt: number, tally: Tally): Promise<void> {
  const prepared = await prepareMail(deps, job);
  if (!prepared) return;
  // The first try has counted the mail.
  if (attempt === 1 && !(await withinLimits(deps, prepared))) {
    log("warn", "mail over the limit of its address", { mailKind: job.kind });
    return;
  }
  try {
    const { mailFrom: from, brand } = deps.config;
    await deps.mailer.send({ from, to: prepared.to, ...renderMail(prepared.mail, brand) });
    tally.sent += 1;
    count("mails", "sent");
  } catch (error) {
    if (!isPermanent(error)) {
      tally.failed += 1;
      count("mails", "failed");
    }
    throw error;
  }
}

/**
 * Sends the mail of a job unless a job with the same id has done so. Throws if the provider refuses or another consumer
 * is sending it.
 */
async function sendOnce(deps: Deps, job: MailJob, attempt: number, tally: Tally): Promise<void> {
  const claim = await claimMail(deps, job.id, deps.now());
  if (claim === "sent") return;
  if (claim === "busy") throw new Error("another consumer is sending this mail");
  try {
    await sendMail(deps, job, attempt, tally);
  } catch (error) {
    await settleMail(deps, job.id, null);
    throw error;
  }
  await settleMail(deps, job.id, deps.now());
}

async function withinLimits(deps: Deps, { to, limits }: PreparedMail): Promise<boolean> {
  for (const name of limits) {
    const verdict = await deps.limiter.consume(name, to);
    if (verdict?.allowed === false) return false;
  }
  return true;
}
