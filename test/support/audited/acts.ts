/** Requests that leave events in the audit log, and who can read these. */
import type { AuditAction } from "../../../src/base/schemas/audit-actions";
import { call, type Person, signUpVerified } from "../client";
import { operator } from "../operators";
import { newInbox, subscribe } from "../receiver";
import { enrol } from "../two-factor";

/** Sends the request of a route and returns who can read what it has left. */
export type Act = () => Promise<Pick<Person, "token">>;

export const must = async (method: string, path: string, body?: unknown, token?: string) => {
  const answer = await call(method, path, { ...(body === undefined ? {} : { body }), token });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}`);
  return answer.body;
};

/** An owner, and a request of theirs. */
export const byOwner =
  (method: string, path: string, body?: unknown): Act =>
  async () => {
    const owner = await signUpVerified();
    await must(method, path, body, owner.token);
    return owner;
  };

/** An owner with a subscription, and a request about it. */
export const onWebhook =
  (method: string, path: string, body?: unknown, fields: Record<string, unknown> = {}): Act =>
  async () => {
    const owner = await signUpVerified();
    const id = await subscribe(owner, newInbox("200").url, fields);
    await must(method, `/webhooks/${id}${path}`, body, owner.token);
    return owner;
  };

export const key = { name: "key", scopes: ["webhook.read"] };
export const since = () => new Date(Date.now() - 60_000).toISOString();

/** An operator's request about an owner's tenant. The owner can read what it has left. */
export const aboutTenant =
  (...paths: string[]): Act =>
  async () => {
    const [op, owner] = [await operator(), await signUpVerified()];
    for (const path of paths) {
      await must("POST", `/operator/tenants/${owner.tenantId}${path}`, { reason: "a test" }, op.token);
    }
    return owner;
  };

/** An operator's request about a person. The operator can read what it has left. */
export const aboutPerson =
  (...paths: string[]): Act =>
  async () => {
    const [op, person] = [await operator(), await signUpVerified()];
    for (const path of paths) {
      await must("POST", `/operator/people/${person.userId}${path}`, { reason: "a test" }, op.token);
    }
    return op;
  };

/** A person whom an operator has mailed the link that removes a lost second factor. */
export async function askedToRemove() {
  const [op, person] = [await operator(), await signUpVerified()];
  await enrol(person);
  await must("POST", `/operator/people/${person.userId}/two-factor/remove`, {}, op.token);
  return { op, person };
}
/** The newest events after a request, newest first, by the route that reads them. */
export type Recorded = Record<string, [actions: AuditAction[], act: Act]>;
