/** Sends one mail: creates its token, renders it, passes it to the `send_email` binding. */
import { randomBytes, sha256Hex, toHex } from "../crypto/encoding";
import type { Deps } from "../deps";
import { insertInvitationToken } from "../invitations/store";
import type { MailJob } from "../mail/job";
import { findCredentialsOfUser, insertResetTokenByEmail, insertVerificationToken } from "../recovery/store";
import { HOUR_MS } from "../time";
import {
  apiKeyMail,
  invitationMail,
  type Mail,
  passwordChangedMail,
  resetMail,
  twoFactorMail,
  verificationMail,
} from "./templates";

const TOKEN_BYTES = 32;
const VERIFICATION_LIFETIME_MS = 24 * HOUR_MS;
const RESET_LIFETIME_MS = HOUR_MS;

interface AddressedMail {
  to: string;
  mail: Mail;
}

/** Sends the mail of a job, or nothing if its reason is gone (user deleted, address verified). Throws when the provider refuses. */
export async function sendMail(deps: Deps, job: MailJob): Promise<void> {
  const addressed = await prepare(deps, job);
  if (addressed) await deps.mailer.send({ from: deps.config.mailFrom, to: addressed.to, ...addressed.mail });
}

async function prepare(deps: Deps, job: MailJob): Promise<AddressedMail | null> {
  switch (job.kind) {
    case "verification":
    case "passwordReset":
    case "invitation":
      return prepareWithToken(deps, job);
    case "passwordChanged":
      return prepareNotice(deps, job.userId, (name) => passwordChangedMail(name));
    case "twoFactorChanged":
      return prepareNotice(deps, job.userId, (name) => twoFactorMail(name, job.enabled));
    case "apiKeyCreated":
      return prepareNotice(deps, job.userId, (name) => apiKeyMail(name, job.keyName));
  }
}

type TokenJob = Extract<MailJob, { kind: "verification" | "passwordReset" | "invitation" }>;

async function prepareWithToken(deps: Deps, job: TokenJob): Promise<AddressedMail | null> {
  const { appUrl } = deps.config;
  const token = toHex(randomBytes(TOKEN_BYTES));
  const hash = await sha256Hex(token);
  const nowMs = deps.now();
  if (job.kind === "verification") {
    const stored = { hash, expiresAt: nowMs + VERIFICATION_LIFETIME_MS };
    const user = await insertVerificationToken(deps, job.userId, stored, nowMs);
    return user && { to: user.email, mail: verificationMail(appUrl, user.name, token) };
  }
  if (job.kind === "passwordReset") {
    const stored = { hash, expiresAt: nowMs + RESET_LIFETIME_MS };
    const user = await insertResetTokenByEmail(deps, job.email, stored, nowMs);
    return user && { to: user.email, mail: resetMail(appUrl, user.name, token) };
  }
  const invitation = await insertInvitationToken(deps, job.tenantId, job.invitationId, hash, nowMs);
  return invitation && { to: invitation.email, mail: invitationMail(appUrl, invitation.tenantName, token) };
}

async function prepareNotice(
  deps: Deps,
  userId: string,
  render: (name: string | null) => Mail,
): Promise<AddressedMail | null> {
  const user = await findCredentialsOfUser(deps, userId);
  return user ? { to: user.email, mail: render(user.name) } : null;
}
