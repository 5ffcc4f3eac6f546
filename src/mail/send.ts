/** One mail: makes its token, words it, hands it to the `send_email` binding. */

import { insertVerificationToken } from "../auth/store";
import { randomBytes, sha256Hex, toHex } from "../crypto/encoding";
import type { Deps } from "../deps";
import type { MailJob } from "./job";
import { type Mail, verificationMail } from "./templates";

const TOKEN_BYTES = 32;
const VERIFICATION_LIFETIME_MS = 24 * 3_600_000;

/** Sends the mail of a job; a job whose reason has gone (user deleted, verified meanwhile) sends nothing. Throws when the provider refuses. */
export async function sendMail(deps: Deps, job: MailJob): Promise<void> {
  const letter = await prepare(deps, job);
  if (letter) await deps.mailer.send({ from: deps.config.mailFrom, to: letter.to, ...letter.mail });
}

async function prepare(deps: Deps, job: MailJob): Promise<{ to: string; mail: Mail } | null> {
  const token = toHex(randomBytes(TOKEN_BYTES));
  const nowMs = deps.now();
  const stored = { hash: await sha256Hex(token), expiresAt: nowMs + VERIFICATION_LIFETIME_MS };
  const user = await insertVerificationToken(deps, job.userId, stored, nowMs);
  return user && { to: user.email, mail: verificationMail(deps.config.appUrl, user.name, token) };
}
