/** What waits because of the limits of a subscription. */
import type { DeliveryOptions } from "../../webhooks/options/delivery-options";
import type { RateLimit } from "../../webhooks/options/limit-options";
import { Banner } from "../components/display";

const SIGN_OF = { second: "s", minute: "min", hour: "h" } as const;

interface LineProps {
  options: DeliveryOptions | null;
  /** How many deliveries wait. */
  waiting: number;
}

const shown = ({ limit, per }: RateLimit) => `limit ${limit.toLocaleString("en")}/${SIGN_OF[per]}`;

/** How many deliveries wait because of the limits. For how long depends on how many come in. */
export function LimitLine({ options, waiting }: LineProps) {
  const { rateLimit, maxConcurrent } = options ?? {};
  if (waiting === 0 || (!rateLimit && maxConcurrent === undefined)) return null;
  const parts = [
    ...(rateLimit ? [shown(rateLimit)] : []),
    ...(maxConcurrent === undefined ? [] : [`${maxConcurrent} at the same time`]),
    `${waiting.toLocaleString("en")} waiting`,
  ];
  return <Banner kind="note">{parts.join(", ")}</Banner>;
}
