/** `delivery.retry.schedule`: the waits between the attempts of a delivery. */
import * as z from "zod";
import { type DeliveryOption, type OptionField, withDocs } from "../../base/option";
import { DAY_MS } from "../../base/time";

const MAX_WAITS = 20;
const MAX_WAIT_SECONDS = 86_400;
const MAX_SCHEDULE_SECONDS = 604_800;

/** The waits between attempts in seconds: ten attempts within 75 hours. */
export const STANDARD_SCHEDULE: readonly number[] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

const sum = (waits: readonly number[]) => waits.reduce((total, wait) => total + wait, 0);

const waits = z.array(z.int().min(1).max(MAX_WAIT_SECONDS)).max(MAX_WAITS);

const change = z.union([
  z.literal("standard"),
  waits.refine((list) => sum(list) <= MAX_SCHEDULE_SECONDS, `Must add up to at most ${MAX_SCHEDULE_SECONDS} seconds`),
]);

const docs = {
  description:
    "The waits before the second, third, ... attempt, in seconds: at most 604,800 in total, and at least a day less " +
    'than the retention. `"standard"` makes 10 attempts within 75 hours.',
  values: '`"standard"`, or up to 20 numbers from 1 to 86,400',
  byDefault: "`[5, 10]`",
  examples: [[60, 600, 3600]],
};

const SECONDS_OF: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** "90, 10m, 2h" as seconds; NaN for a part that is not a duration. */
function secondsOf(text: string): number[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  return words.map((word) => {
    const [, digits, unit = "s"] = /^(\d+)([smh]?)$/.exec(word) ?? [];
    return Number(digits) * (SECONDS_OF[unit] ?? 1);
  });
}

/** As the form takes it: 7200 is "2h". */
function shortly(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : String(seconds);
}

/** "default", "standard", or "own" with the waits in a second input. */
const field: OptionField = {
  inputs: [
    {
      kind: "choice",
      name: "schedule",
      label: "Retries",
      hint: "When a failed delivery is sent again.",
      choices: () => [
        ["default", "Default: 3 attempts within 15 seconds"],
        ["standard", "Standard: 10 attempts within 3 days"],
        ["own", "Own schedule"],
      ],
    },
    {
      kind: "text",
      name: "delivery",
      label: "Own schedule",
      placeholder: "30, 10m, 2h",
      hint:
        "The waits between attempts, in seconds, minutes (m) or hours (h). Up to 20. " +
        "Only used with “Own schedule”.",
    },
  ],
  errorInput: "delivery",
  show: (value) => {
    const set = value as readonly number[] | undefined;
    if (set === undefined) return { schedule: "default", delivery: "" };
    const isStandard = set.join() === STANDARD_SCHEDULE.join();
    return { schedule: isStandard ? "standard" : "own", delivery: isStandard ? "" : set.map(shortly).join(", ") };
  },
  read: ({ schedule, delivery = "" }) => {
    if (schedule === "default") return null;
    return schedule === "own" ? secondsOf(delivery) : schedule;
  },
};

export const scheduleOption = {
  change: withDocs(change, docs),
  shown: waits.meta({ description: "The waits between attempts, in seconds.", examples: docs.examples }),
  /** Stores the waits of a named schedule. */
  toStored: (value: z.output<typeof change>): readonly number[] => (value === "standard" ? STANDARD_SCHEDULE : value),
  /** The last attempt must be a day before the event is removed. */
  refuse(value: z.output<typeof change>, retentionDays: number): string | undefined {
    const isStandard = value === "standard";
    const seconds = sum(isStandard ? STANDARD_SCHEDULE : value);
    const mostSeconds = ((retentionDays - 1) * DAY_MS) / 1000;
    if (seconds <= mostSeconds) return undefined;
    const neededDays = Math.ceil((seconds * 1000) / DAY_MS) + 1;
    return isStandard
      ? `"standard" needs RETENTION_DAYS of at least ${neededDays}, and it is ${retentionDays}`
      : `Must add up to at most ${mostSeconds} seconds, because deliveries are kept for ${retentionDays} days`;
  },
  docs,
  field,
} satisfies DeliveryOption;

/** Returns the waits that the texts of the form describe; null for the default, undefined for an invalid schedule. */
export function waitsOf(texts: Parameters<OptionField["read"]>[0]): readonly number[] | null | undefined {
  const set = field.read(texts) || null;
  if (set === null) return null;
  const checked = change.safeParse(set);
  return checked.success ? scheduleOption.toStored(checked.data) : undefined;
}
