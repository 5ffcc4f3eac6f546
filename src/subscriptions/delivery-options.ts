/** `delivery`: the options of a subscription for its deliveries. An option that is not set has its default, and is not stored or shown. */
import { z } from "zod";
import type { ErrorDetail } from "../errors";
import { refuseRetry, retryChange, retryOptions, retryPatch } from "./retry-options";

const signature = z.enum(["v1", "v1+v1a"]).meta({
  description:
    "The signatures in `webhook-signature`: with the secret (`v1`, the default), or also with an Ed25519 key (`v1+v1a`), whose public key is " +
    "at `/.well-known/webhook-keys/{id}`.",
  examples: ["v1+v1a"],
});

/** A change of the options (RFC 7396): a member that is left out stays as it is, and null sets it back to its default. */
export const deliveryChange = z
  .strictObject({ retry: retryChange.nullable(), signature: signature.nullable() })
  .partial()
  .meta({
    id: "DeliveryChange",
    description: "A member that is left out stays as it is; null sets it back to its default.",
  });

/** The options that are set. */
export const deliveryOptions = z.object({ retry: retryOptions, signature }).partial().meta({
  id: "DeliveryOptions",
  description: "The options that are set. Missing if none is.",
});

export type DeliveryChange = z.infer<typeof deliveryChange>;
export type DeliveryOptions = z.infer<typeof deliveryOptions>;

/** A merge patch for the stored options. */
export type OptionsPatch = Readonly<Record<string, unknown>>;

/** Returns the merge patch for the stored options. The change null sets all of them back to their defaults. */
export function optionsPatch(change: DeliveryChange | null): OptionsPatch {
  if (change === null) return { retry: null, signature: null };
  return {
    ...change,
    ...(change.retry ? { retry: retryPatch(change.retry) } : {}),
    ...(change.signature === "v1" ? { signature: null } : {}),
  };
}

/** Returns what is wrong with a valid change for this deployment; empty if nothing is. */
export const refuseOptions = ({ retry }: DeliveryChange, retentionDays: number): ErrorDetail[] =>
  retry ? refuseRetry(retry, retentionDays) : [];

/** Returns the options that are set, as the API shows them; null when none is. */
export function deliveryView(options: DeliveryOptions | null): DeliveryOptions | null {
  if (options === null) return null;
  const { retry, signature } = options;
  const set = { ...(retry ? { retry } : {}), ...(signature ? { signature } : {}) };
  return Object.keys(set).length > 0 ? set : null;
}
