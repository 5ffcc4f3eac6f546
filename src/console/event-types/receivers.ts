/** The subscriptions to which a page about an event type offers to send its examples. */
import type { Deps } from "../../base/deps";
import type { Principal } from "../../base/schemas/principal";
import { RESEND } from "../../webhooks/access";
import type { EventType } from "../../webhooks/event-types/schemas";
import { listSubscribers } from "../../webhooks/event-types/store";

/** The most that a page offers. */
const MAX_RECEIVERS = 10;

/** None for whoever may not send tests, or of a type without examples. */
export async function receiversOf(deps: Deps, principal: Principal, { name, examples = [] }: EventType) {
  if (examples.length === 0 || !principal.permissions.has(RESEND.permission)) return [];
  return listSubscribers(deps, principal, name, MAX_RECEIVERS);
}
