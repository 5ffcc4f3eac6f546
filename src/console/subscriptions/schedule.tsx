/** A retry schedule as people choose it and see it. */
import { CONTRACT_SCHEDULE } from "../../delivery/timing";
import { STANDARD_SCHEDULE } from "../../subscriptions/retry-options";
import { Select, TextField } from "../components/fields";
import type { Failure } from "../failure";

const SECONDS_OF: Record<string, number> = { s: 1, m: 60, h: 3_600 };

/** A choice from the form, and the waits of an own schedule as text. */
export interface ScheduleValues {
  preset: string;
  waits: string;
}

/** What the form shows for the schedule that is set. */
export function scheduleValues(schedule: readonly number[] | undefined): ScheduleValues {
  if (schedule === undefined) return { preset: "contract", waits: "" };
  const isStandard = schedule.join() === STANDARD_SCHEDULE.join();
  return isStandard ? { preset: "standard", waits: "" } : { preset: "own", waits: schedule.map(shortly).join(", ") };
}

/** What the form sets, for the API's schema to validate; undefined when it has no choice. */
export function scheduleChange({ preset, waits }: ScheduleValues): { retry: { schedule: unknown } } | undefined {
  if (preset === "") return undefined;
  if (preset === "contract") return { retry: { schedule: null } };
  return { retry: { schedule: preset === "own" ? secondsOf(waits) : preset } };
}

/** "90, 10m, 2h" as seconds; NaN for what is no duration. */
function secondsOf(waits: string): number[] {
  const words = waits.split(/[\s,]+/).filter((word) => word !== "");
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

/** The two largest units: "4 h 12 min". */
export function duration(seconds: number): string {
  const units = [
    [86_400, "d"],
    [3_600, "h"],
    [60, "min"],
    [1, "s"],
  ] as const;
  const first = units.findIndex(([size]) => seconds >= size);
  const parts = units.slice(first < 0 ? 3 : first, (first < 0 ? 3 : first) + 2);
  let rest = seconds;
  const words = parts.map(([size, name]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return [count, name] as const;
  });
  const shown = words.filter(([count], index) => count > 0 || (index === 0 && seconds < 1));
  return shown.map(([count, name]) => `${count} ${name}`).join(" ");
}

export const ScheduleFields = ({ values, failure }: { values: ScheduleValues; failure?: Failure | undefined }) => (
  <>
    <Select
      name="schedule"
      label="Retries"
      value={values.preset}
      options={[
        ["contract", "Contract: 3 attempts within 15 seconds"],
        ["standard", "Standard: 10 attempts within 3 days"],
        ["own", "Own schedule"],
      ]}
      hint="When a failed delivery is sent again."
    />
    <TextField
      name="delivery"
      label="Own schedule"
      value={values.waits}
      placeholder="30, 10m, 2h"
      hint="The waits between attempts, in seconds, minutes (m) or hours (h). Up to 20. Only used with “Own schedule”."
      failure={failure}
    />
  </>
);

/** When each attempt comes, if all before it fail. */
export function Calendar({ schedule = CONTRACT_SCHEDULE }: { schedule?: readonly number[] | undefined }) {
  let afterSeconds = 0;
  const later = schedule.map((wait) => {
    afterSeconds += wait;
    return duration(afterSeconds);
  });
  return (
    <ol class="calendar" aria-label="Attempts">
      <li>at once</li>
      {later.map((after) => (
        <li>after {after}</li>
      ))}
    </ol>
  );
}
