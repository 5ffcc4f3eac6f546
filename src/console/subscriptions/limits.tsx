/** What waits because of the limits of a subscription. */
import type { DeliveryOptions } from "../../webhooks/subscriptions/delivery-options";
import type { RateLimit } from "../../webhooks/subscriptions/limit-options";
import { Banner } from "../components/display";
import { duration } from "./schedule";

const SECONDS_OF = { second: 1, minute: 60, hour: 3_600 } as const;
const SIGN_OF = { second: "s", minute: "min", hour: "h" } as const;

interface LineProps {
  options: DeliveryOptions | null;
  /** How many deliveries wait. */
  waiting: number;
}

const shown = ({ limit, per }: RateLimit) => `limit ${limit.toLocaleString("en")}/${SIGN_OF[per]}`;

/** How many deliveries wait because of the limits, and for about how long. */
export function Line({ options, waiting }: LineProps) {
  const { rateLimit, maxConcurrent } = options ?? {};
  if (waiting === 0 || (!rateLimit && maxConcurrent === undefined)) return null;
  const parts = [
    ...(rateLimit ? [shown(rateLimit)] : []),
    ...(maxConcurrent === undefined ? [] : [`${maxConcurrent} at the same time`]),
    `${waiting.toLocaleString("en")} waiting`,
    ...(rateLimit ? [`clear in about ${duration(clearSeconds(rateLimit, waiting))}`] : []),
  ];
  return <Banner kind="note">{parts.join(", ")}</Banner>;
}

/** In whole minutes from two minutes on: nobody counts the seconds. */
function clearSeconds({ limit, per }: RateLimit, waiting: number): number {
  const seconds = Math.ceil((waiting * SECONDS_OF[per]) / limit);
  return seconds < 120 ? seconds : Math.round(seconds / 60) * 60;
}
