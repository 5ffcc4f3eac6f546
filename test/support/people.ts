/** Tenants with more than one person in them. */
import { env } from "cloudflare:workers";
import { call, newEmail, type Person, signUp, verify } from "./client";
import { mailTo, tokenIn } from "./mailbox";

/** Invites an address and reads the token from the mail. The inviter's own address counts as verified from now on. */
export async function invite(inviter: Person, email: string, role: string): Promise<string> {
  await verify(inviter.email);
  const answer = await call("POST", "/invitations", { token: inviter.token, body: { email, role } });
  if (answer.status !== 201) throw new Error(`invite answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return tokenIn(await mailTo(email, /invited/));
}

/** A new person who joined by invitation. */
export async function joinTenant(inviter: Person, role: string): Promise<Person> {
  const email = newEmail();
  return signUp({ email, invitationToken: await invite(inviter, email, role) });
}

const ELEVEN_MINUTES_MS = 11 * 60_000;

/** Moves a person's sign-ins and confirmations so far back that actions with a step-up need one. */
export const tire = (person: Person) =>
  env.DB.prepare("UPDATE sessions SET created_at = created_at - ?, confirmed_at = NULL WHERE user_id = ?")
    .bind(ELEVEN_MINUTES_MS, person.userId)
    .run();
