/**
 * `delivery`: the options of a subscription for its deliveries. An option without a value has its default, and is not
 * stored or shown.
 */
import { z } from "zod";
import type { ErrorDetail } from "../../platform/errors";
import { type HeadersView, headersChange, headersView } from "./header-options";
import { maxConcurrent, rateLimit } from "./limit-options";
import { refuseRetry, retryChange, retryOptions, retryPatch } from "./retry-options";

const signature = z.enum(["v1", "v1+v1a"]).meta({
  description:
    "The signatures in `webhook-signature`: with the secret (`v1`, the default), or also with an Ed25519 key " +
    "(`v1+v1a`), whose public key is " +
    "at `/.well-known/webhook-keys/{id}`.",
  examples: ["v1+v1a"],
});

const format = z.enum(["payload", "standard"]).meta({
  description:
    "The body: the event's payload (`payload`, the default), or `{ type, timestamp, data }` with the payload as " +
    "`data` (`standard`). A " +
    "change applies to open deliveries too, from their next attempt on.",
  examples: ["standard"],
});

const autoDisable = z.union([z.literal(false), z.strictObject({ afterHours: z.int().min(24).max(720) })]).meta({
  description:
    "After how many hours without a success a subscription is disabled, if at least 20 attempts have failed; false " +
    "for never. The default is " +
    "set by the deployment, usually 120.",
  examples: [{ afterHours: 72 }],
});

const onPause = z.enum(["skip", "hold"]).meta({
  description:
    "What happens to events that are published while the subscription is paused: they are not sent to it (`skip`, " +
    "the default), or their " +
    "deliveries are held and sent when it is resumed (`hold`). At most 100,000 are held, for the time of the " +
    "retention. A change applies from the next pause on.",
});

const onDisable = z.enum(["skip", "hold"]).meta({
  description:
    "What happens to events while the service has disabled the subscription. With a `retry.schedule` always " +
    "`hold`; otherwise `skip` by default.",
});

/**
 * A change of the options (RFC 7396): a member that is left out stays as it is, and null sets it back to its default.
 */
export const deliveryChange = z
  .strictObject({
    retry: retryChange.nullable(),
    signature: signature.nullable(),
    format: format.nullable(),
    headers: headersChange.nullable(),
    autoDisable: autoDisable.nullable(),
    onPause: onPause.nullable(),
    onDisable: onDisable.nullable(),
    rateLimit: rateLimit.nullable(),
    maxConcurrent: maxConcurrent.nullable(),
  })
  .partial()
  .meta({
    id: "DeliveryChange",
    description: "A member that is left out stays as it is; null sets it back to its default.",
  });

/** The contents of the column `options`: every member that is set, except the headers, which are encrypted. */
const storedOptions = z
  .object({ retry: retryOptions, signature, format, autoDisable, onPause, onDisable, rateLimit, maxConcurrent })
  .partial();

/** The options that are set. */
export const deliveryOptions = storedOptions.extend({ headers: headersView.optional() }).meta({
  id: "DeliveryOptions",
  description: "The options that are set. Missing if none are.",
});

export type DeliveryChange = z.infer<typeof deliveryChange>;
export type DeliveryOptions = z.infer<typeof storedOptions>;
export type DeliveryOptionsView = z.infer<typeof deliveryOptions>;

/** A merge patch for the stored options. */
export type OptionsPatch = Readonly<Record<string, unknown>>;

/** Returns the merge patch for the stored options. The change null sets all of them back to their defaults. */
export function optionsPatch(change: DeliveryChange | null): OptionsPatch {
  if (change === null) {
    return Object.fromEntries(Object.keys(storedOptions.shape).map((name) => [name, null]));
  }
  const { headers: _encrypted, ...stored } = change;
  return {
    ...stored,
    ...(change.retry ? { retry: retryPatch(change.retry) } : {}),
    ...(change.signature === "v1" ? { signature: null } : {}),
    ...(change.format === "payload" ? { format: null } : {}),
    ...(change.onPause === "skip" ? { onPause: null } : {}),
    ...(change.onDisable === "skip" ? { onDisable: null } : {}),
  };
}

/** Returns why this deployment refuses a change; empty if it does not. */
export const refuseOptions = ({ retry }: DeliveryChange, retentionDays: number): ErrorDetail[] =>
  retry ? refuseRetry(retry, retentionDays) : [];

/** Returns the options that are set, as the API shows them; null when none is. */
export function deliveryView(options: DeliveryOptions | null, headers: HeadersView): DeliveryOptionsView | null {
  const { autoDisable: disables, onPause: pauses, onDisable: holds, ...rest } = options ?? {};
  const { retry, signature, format, rateLimit, maxConcurrent } = rest;
  const set = {
    ...(retry ? { retry } : {}),
    ...(signature ? { signature } : {}),
    ...(format ? { format } : {}),
    ...(disables === undefined ? {} : { autoDisable: disables }),
    ...(pauses ? { onPause: pauses } : {}),
    ...(holds ? { onDisable: holds } : {}),
    ...(rateLimit ? { rateLimit } : {}),
    ...(maxConcurrent ? { maxConcurrent } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
  return Object.keys(set).length > 0 ? set : null;
}

/** Returns after how many hours of failures a subscription with these options is disabled; null for never. */
export const autoDisableHours = (options: DeliveryOptions | null, defaultHours: number | null): number | null =>
  options?.autoDisable === false ? null : (options?.autoDisable?.afterHours ?? defaultHours);
