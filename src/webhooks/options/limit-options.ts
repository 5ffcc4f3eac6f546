/** `delivery.rateLimit` and `delivery.maxConcurrent`: how much a subscription is sent. */
import * as z from "zod";
import { numberField, type OptionField, plainOption } from "../../base/option";

const MAX_RATE = 10_000;
const MAX_CONCURRENT = 100;
const UNITS = ["second", "minute", "hour"] as const;

const rateLimit = z.strictObject({
  limit: z.int().min(1).max(MAX_RATE).meta({ description: "1 to 10,000." }),
  per: z.enum(UNITS),
});

export type RateLimit = z.infer<typeof rateLimit>;

const rateField: OptionField = {
  inputs: [
    {
      kind: "number",
      name: "rateLimit",
      label: "Maximum number of requests",
      placeholder: "no limit",
      hint: "1 to 10,000. Deliveries beyond that wait, which uses no attempt. Retries and tests count too.",
    },
    { kind: "choice", name: "per", label: "in any", choices: () => UNITS.map((unit) => [unit, unit]) },
  ],
  errorInput: "rateLimit",
  show: (value) => {
    const set = value as RateLimit | undefined;
    return { rateLimit: String(set?.limit ?? ""), per: set?.per ?? "second" };
  },
  read: ({ rateLimit: text, per }) => {
    if (text === undefined) return undefined;
    return text.trim() === "" ? null : { limit: Number(text), per };
  },
};

export const LIMIT_OPTIONS = {
  rateLimit: plainOption(
    rateLimit,
    {
      id: "RateLimit",
      description:
        "The most requests that are sent on average per second, minute or hour, retries and tests included. Further " +
        "ones wait and use no attempt. Any single second, minute or hour has at most one request and a tenth of the " +
        "limit more.",
      values: "`limit` from 1 to 10,000, `per` `second`, `minute` or `hour`",
      byDefault: "no limit",
      examples: [{ limit: 10, per: "second" }],
    },
    rateField,
  ),
  maxConcurrent: plainOption(
    z.int().min(1).max(MAX_CONCURRENT),
    {
      description: "The most requests that are in progress at the same time.",
      values: "1 to 100",
      byDefault: "no limit",
      examples: [5],
    },
    numberField({
      name: "maxConcurrent",
      label: "Maximum number of requests at the same time",
      placeholder: "no limit",
      hint: "1 to 100.",
    }),
  ),
};
