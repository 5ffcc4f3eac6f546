/** A retry schedule as people choose it and see it. */
import { CONTRACT_SCHEDULE } from "../../webhooks/delivery/timing";
import { retryChange, STANDARD_SCHEDULE } from "../../webhooks/subscriptions/retry-options";
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
  if (schedule === undefined) return { preset: "default", waits: "" };
  const isStandard = schedule.join() === STANDARD_SCHEDULE.join();
  return isStandard ? { preset: "standard", waits: "" } : { preset: "own", waits: schedule.map(shortly).join(", ") };
}

/** What the form sets, for the API's schema to validate; empty when it has no choice. */
export function scheduleChange({ preset, waits }: ScheduleValues): { schedule?: unknown } {
  if (preset === "") return {};
  if (preset === "default") return { schedule: null };
  return { schedule: preset === "own" ? secondsOf(waits) : preset };
}

/** Returns the waits that the form describes, in seconds; undefined while it has no valid schedule. */
function waitsOf({ preset, waits }: ScheduleValues): readonly number[] | undefined {
  if (preset === "standard") return STANDARD_SCHEDULE;
  if (preset !== "own") return CONTRACT_SCHEDULE;
  const schedule = secondsOf(waits);
  return retryChange.safeParse({ schedule }).success ? schedule : undefined;
}

/** "90, 10m, 2h" as seconds; NaN for a part that is not a duration. */
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
        ["default", "Default: 3 attempts within 15 seconds"],
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

/** The calendar of the schedule in the form. The script asks for it again while the schedule is typed. */
export const CalendarPreview = ({ values }: { values: ScheduleValues }) => (
  <div class="field">
    <p id="calendar-title">When the attempts are made, if each one fails</p>
    <div data-calendar="/console/webhooks/calendar" aria-live="polite">
      <CalendarOf values={values} />
    </div>
  </div>
);

export function CalendarOf({ values }: { values: ScheduleValues }) {
  const schedule = waitsOf(values);
  if (schedule === undefined) return <p class="hint">This is not a valid schedule.</p>;
  return <Calendar schedule={schedule} />;
}

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
