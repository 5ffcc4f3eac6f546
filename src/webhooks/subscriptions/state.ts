/** What users set of a subscription, in plain text; and the rules for it, whether it is created, changed or tried. */
import { decrypt } from "../../base/crypto/encryption";
import type { Deps } from "../../base/deps";
import { invalidField, refuseInvalid } from "../../base/errors";
import { OPERATIONAL_PREFIX } from "../../base/schemas/event-type";
import { refuseTarget } from "../delivery/target";
import type { FilterObject } from "../filters/filter";
import { type DeliveryChange, filterAfter, optionsPatch, refuseOptions } from "../options/delivery-options";
import { type Headers, refuseHeaders } from "../options/header-options";
import { headersAfter, isSame, openHeaders } from "../options/headers";
import { refuseCombination } from "../options/signature-profile";
import { isSameOptions, patchOptions, type StoredOptions } from "../options/stored-options";
import { secretOwner } from "../signing/keys";
import type { SubscriptionRow } from "./store";

export interface SubscriptionInput {
  externalId?: string | null | undefined;
  name: string;
  url: string;
  events: string[];
  secret: string;
  enabled: boolean;
  delivery?: DeliveryChange | null | undefined;
}

/** What is left out stays as it is. */
export type SubscriptionChange = { [K in keyof SubscriptionInput]?: SubscriptionInput[K] | undefined };

export interface SubscriptionState {
  externalId: string | null;
  name: string;
  url: string;
  events: readonly string[];
  secret: string;
  enabled: boolean;
  headers: Headers;
  options: StoredOptions | null;
  filter: FilterObject | null;
}

/** The state of a stored subscription. */
export async function stateOf(deps: Deps, row: SubscriptionRow): Promise<SubscriptionState> {
  const { externalId, name, url, events, enabled } = row;
  const { filter = null, ...options } = row.options ?? {};
  const secret = await decrypt(deps.keys, secretOwner(row.id), row.secretSealed);
  return { externalId, name, url, events, secret, enabled, headers: await openHeaders(deps, row), options, filter };
}

/** The state of a new subscription. */
export const newState = ({ delivery, externalId = null, ...fields }: SubscriptionInput): SubscriptionState =>
  stateAfter({ ...fields, externalId, headers: {}, options: null, filter: null }, { delivery });

/**
 * The state after a change. Throws VALIDATION_FAILED for a URL of another origin if the headers are not given again.
 */
export function stateAfter(before: SubscriptionState, change: SubscriptionChange): SubscriptionState {
  const { externalId, name, url, events, secret, enabled, delivery } = change;
  const filter = filterAfter(delivery);
  return {
    externalId: externalId === undefined ? before.externalId : externalId,
    name: name ?? before.name,
    url: url ?? before.url,
    events: events ?? before.events,
    secret: secret ?? before.secret,
    enabled: enabled ?? before.enabled,
    headers: headersAfter(before.headers, before, url, delivery === null ? null : delivery?.headers),
    options: delivery === undefined ? before.options : patchOptions(before.options, optionsPatch(delivery)),
    filter: filter === undefined ? before.filter : filter,
  };
}

/** The names of what differs between two states, in the order of the API's fields. */
export function differing(before: SubscriptionState, after: SubscriptionState): ReadonlySet<keyof SubscriptionState> {
  const same: Record<keyof SubscriptionState, boolean> = {
    externalId: before.externalId === after.externalId,
    name: before.name === after.name,
    url: before.url === after.url,
    events: JSON.stringify(before.events) === JSON.stringify(after.events),
    secret: before.secret === after.secret,
    enabled: before.enabled === after.enabled,
    headers: isSame(before.headers, after.headers),
    options: isSameOptions(before.options, after.options),
    filter: JSON.stringify(before.filter) === JSON.stringify(after.filter),
  };
  const names = Object.keys(same) as (keyof SubscriptionState)[];
  return new Set(names.filter((name) => !same[name]));
}

/** Throws VALIDATION_FAILED for a URL that may not be called, or an option that this deployment does not allow. */
export function checkAsked(deps: Deps, { url, delivery }: SubscriptionChange): void {
  const refusal = url === undefined ? undefined : refuseTarget(url, deps.config.webhookEgress, deps.ownHosts);
  if (refusal) throw invalidField("url", refusal);
  if (delivery) refuseInvalid(refuseOptions(delivery, deps.config.retentionDays));
}

/** Throws VALIDATION_FAILED for parts that do not fit each other after `asked`, which decides what is named. */
export function checkState({ events, secret, headers, options, filter }: SubscriptionState, asked: SubscriptionChange) {
  const { delivery } = asked;
  if (delivery?.headers) refuseInvalid(refuseHeaders(headers));
  const changed = { profile: Boolean(delivery?.signatureProfile), headers: delivery?.headers !== undefined };
  refuseInvalid(refuseCombination({ profile: options?.signatureProfile, headers, secret }, changed));
  // Operational events are sent without a look at filters.
  if (filter && events.some((type) => type.startsWith(OPERATIONAL_PREFIX))) {
    const message = "A subscription with a filter must not list operational events (postern.…)";
    throw invalidField(filterAfter(delivery) === undefined ? "events" : "delivery.filter", message);
  }
}
