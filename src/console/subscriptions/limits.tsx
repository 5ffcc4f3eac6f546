/** What waits because of the limits of a subscription. */
import type { DeliveryOptions } from "../../webhooks/options/delivery-options";
import { Banner } from "../components/display";
import { useTexts } from "../components/mount";

const SIGN_OF = { second: "s", minute: "min", hour: "h" } as const;

interface LineProps {
  options: DeliveryOptions | null;
  /** How many deliveries wait. */
  waiting: number;
}

/** How many deliveries wait because of the limits. For how long depends on how many come in. */
export function LimitLine({ options, waiting }: LineProps) {
  const { rateLimit, maxConcurrent } = options ?? {};
  if (waiting === 0 || (!rateLimit && maxConcurrent === undefined)) return null;
  const texts = useTexts();
  const parts = [
    ...(rateLimit
      ? [texts.say("portal.limit", { count: texts.number(rateLimit.limit), unit: SIGN_OF[rateLimit.per] })]
      : []),
    ...(maxConcurrent === undefined ? [] : [texts.say("portal.atSameTime", { count: texts.number(maxConcurrent) })]),
    texts.say("portal.waitingCount", { count: texts.number(waiting) }),
  ];
  return <Banner kind="note">{parts.join(", ")}</Banner>;
}
