import type { Client } from "postern/client";

/** Mails an invitation. */
export async function invite(postern: Client, email: string): Promise<void> {
  await postern.invitations.create({ email, role: "developer" });
}

/** Accepts an invitation as the invited user, with the token from the mail, and switches to its tenant. */
export async function join(postern: Client, token: string): Promise<string> {
  const { tenant } = await postern.invitations.accept(token);
  await postern.tenants.switchTo(tenant.id);
  return tenant.name;
}

/** Creates an account for an invited person, in the tenant of the invitation. */
export async function registerInvited(postern: Client, email: string, password: string, invitationToken: string) {
  await postern.auth.register({ email, password, invitationToken });
}

/** Where to send the browser of an invited person to join with Google. */
export const joinWithGoogleUrl = (postern: Client, invitationToken: string) =>
  postern.identities.signInUrl("google", { invitationToken });
