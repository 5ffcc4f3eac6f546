/** The limits of a subscription: the fields of its form, and what waits because of them. */
import type { DeliveryOptions } from "../../webhooks/subscriptions/delivery-options";
import type { RateLimit } from "../../webhooks/subscriptions/limit-options";
import { Banner } from "../components/display";
import { Select, TextField } from "../components/fields";
import type { Failure } from "../failure";
import { duration } from "./schedule";

const SECONDS_OF = { second: 1, minute: 60, hour: 3_600 } as const;
const SIGN_OF = { second: "s", minute: "min", hour: "h" } as const;

export interface LimitValues {
  /** "" for no limit. */
  rate: string;
  per: string;
  maxConcurrent: string;
}

/** What the form shows for the options that are set. */
export const limitValues = (options: DeliveryOptions | null): LimitValues => ({
  rate: String(options?.rateLimit?.limit ?? ""),
  per: options?.rateLimit?.per ?? "second",
  maxConcurrent: String(options?.maxConcurrent ?? ""),
});

/** What the form sets, for the API's schema to validate. Nothing if it has none of the fields. */
export function limitChange({ rate, per, maxConcurrent }: LimitValues): Record<string, unknown> {
  if (per === "") return {};
  return {
    rateLimit: rate.trim() === "" ? null : { limit: Number(rate), per },
    maxConcurrent: maxConcurrent.trim() === "" ? null : Number(maxConcurrent),
  };
}

export const LimitFields = ({ values, failure }: { values: LimitValues; failure?: Failure | undefined }) => (
  <>
    <TextField
      name="rateLimit"
      label="Maximum number of requests"
      inputmode="numeric"
      value={values.rate}
      placeholder="no limit"
      hint="1 to 10,000. Deliveries beyond that wait, which uses no attempt. Retries and tests count too."
      failure={failure}
    />
    <Select
      name="per"
      label="in any"
      value={values.per}
      options={[
        ["second", "second"],
        ["minute", "minute"],
        ["hour", "hour"],
      ]}
    />
    <TextField
      name="maxConcurrent"
      label="Maximum number of requests at the same time"
      inputmode="numeric"
      value={values.maxConcurrent}
      placeholder="no limit"
      hint="1 to 100."
      failure={failure}
    />
  </>
);

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
