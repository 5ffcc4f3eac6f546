/** Rotations of a subscription's secret. */
import { call, type Person } from "./client";
import { type Hook, newHook } from "./hook";

export const SECRETS = ["first secret", "second secret", "third secret", "fourth secret", "fifth secret"] as const;

/** A subscription with the first of the secrets. */
export const newSubscription = (fields: Record<string, unknown> = {}): Promise<Hook> =>
  newHook({ secret: SECRETS[0], ...fields });

export const rotateBy = (person: Person, id: string, body: object = {}) =>
  call("POST", `/webhooks/${id}/secret/rotate`, { token: person.token, body });
