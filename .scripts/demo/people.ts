/** A tenant with a person in each role, made as any user would: register, follow the mails, log in. */
import { Secret, TOTP } from "otpauth";
import type { Service } from "./service.ts";

export const PASSWORD = "postern demo pass phrase";

export const PEOPLE = [
  { role: "owner", email: "owner@demo.example", may: "everything; only owners can make other owners" },
  { role: "admin", email: "admin@demo.example", may: "members, webhooks, events" },
  { role: "developer", email: "developer@demo.example", may: "webhooks and publishing" },
  { role: "operator", email: "operator@demo.example", may: "see webhooks; retry, test, pause, resume" },
  { role: "viewer", email: "viewer@demo.example", may: "see webhooks and their logs" },
  { role: "member", email: "member@demo.example", may: "only their own account" },
] as const;

/** Operates the service, and so has no part in the tenant. */
export const OPERATOR = "staff@demo.example";
const STEP_MS = 30_000;

/**
 * Creates the operator's account with two-factor authentication. Returns the secret for an authenticator app, and an
 * access token.
 */
export async function addOperator(service: Service): Promise<{ totpSecret: string; token: string }> {
  const account = { email: OPERATOR, password: PASSWORD };
  await service.call("POST", "/auth/register", { ...account, tenantName: "Staff" });
  await service.call("POST", "/auth/verify-email", { token: await service.mailedToken("verify-email") });
  const { accessToken = "" } = await service.call("POST", "/auth/login", account);
  const { secret = "" } = await service.call("POST", "/auth/2fa/enable", undefined, accessToken);
  const codeAt = (timestamp: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
  const confirm = () => service.call("POST", "/auth/2fa/verify", { token: codeAt(Date.now() - STEP_MS) }, accessToken);
  // A step may end between the code and its check; two do not.
  await confirm().catch(confirm);
  return { totpSecret: secret, token: accessToken };
}

/** Creates all accounts. Returns the owner's access token. */
export async function invitePeople(service: Service): Promise<string> {
  const [owner, ...others] = PEOPLE;
  const register = (email: string, fields: object) =>
    service.call("POST", "/auth/register", { email, password: PASSWORD, ...fields });
  await register(owner.email, { name: "Olive Owner", tenantName: "Demo Shop" });
  await service.call("POST", "/auth/verify-email", { token: await service.mailedToken("verify-email") });
  const { accessToken = "" } = await service.call("POST", "/auth/login", { email: owner.email, password: PASSWORD });
  for (const { email, role } of others) {
    await service.call("POST", "/invitations", { email, role }, accessToken);
    await register(email, { invitationToken: await service.mailedToken("accept-invitation") });
  }
  return accessToken;
}
