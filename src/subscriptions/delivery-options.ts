/**
 * `delivery`: how a subscription wants its deliveries sent. Each member has a file of its own. What is not set has its default and is
 * neither stored nor shown.
 */
import { z } from "zod";
import type { ErrorDetail } from "../errors";
import { refuseRetry, retryChange, retryOptions, retryPatch } from "./retry-options";

const signature = z.enum(["v1", "v1+v1a"]).meta({
  description:
    "The signatures in `webhook-signature`: of the secret (`v1`, the default), or also of an Ed25519 key (`v1+v1a`), whose public key is " +
    "at `/.well-known/webhook-keys/{id}`.",
  examples: ["v1+v1a"],
});

/** The members to change, as RFC 7396 merges them: what is left out stays, null sets the default. */
export const deliveryChange = z
  .strictObject({ retry: retryChange.nullable(), signature: signature.nullable() })
  .partial()
  .meta({
    id: "DeliveryChange",
    description: "Members that are left out stay as they are; null sets one back to its default.",
  });

/** The members that are set. */
export const deliveryOptions = z.object({ retry: retryOptions, signature }).partial().meta({
  id: "DeliveryOptions",
  description: "Present when an option is set; options with their default are left out.",
});

export type DeliveryChange = z.infer<typeof deliveryChange>;
export type DeliveryOptions = z.infer<typeof deliveryOptions>;

/** A merge patch for the stored options. */
export type OptionsPatch = Readonly<Record<string, unknown>>;

/** What a change does to the stored options; null sets all members back. */
export function optionsPatch(change: DeliveryChange | null): OptionsPatch {
  if (change === null) return { retry: null, signature: null };
  return {
    ...change,
    ...(change.retry ? { retry: retryPatch(change.retry) } : {}),
    ...(change.signature === "v1" ? { signature: null } : {}),
  };
}

/** What this deployment can't keep of a change, whose own form is right. */
export const refuseOptions = ({ retry }: DeliveryChange, retentionDays: number): ErrorDetail[] =>
  retry ? refuseRetry(retry, retentionDays) : [];

/** The options that its users have set; null when none is. */
export function deliveryView(options: DeliveryOptions | null): DeliveryOptions | null {
  if (options === null) return null;
  const { retry, signature } = options;
  const set = { ...(retry ? { retry } : {}), ...(signature ? { signature } : {}) };
  return Object.keys(set).length > 0 ? set : null;
}
