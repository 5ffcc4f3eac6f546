/** A retry schedule as people see it. */

import type { Texts } from "../../base/option";
import { waitsOf } from "../../webhooks/options/schedule-option";
import { DEFAULT_SCHEDULE } from "../../webhooks/plane/timing";
import { Say, useHref, useTexts } from "../components/mount";

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

/** The calendar of the schedule in the form. The script asks for it again while the schedule is typed. */
export const CalendarPreview = ({ texts }: { texts: Texts }) => (
  <div class="field">
    <p id="calendar-title">
      <Say of="portal.calendar" />
    </p>
    <div data-calendar={useHref()("/webhooks/calendar")} aria-live="polite">
      <CalendarOf texts={texts} />
    </div>
  </div>
);

export function CalendarOf({ texts }: { texts: Texts }) {
  const schedule = waitsOf(texts);
  if (schedule === undefined) return <Invalid />;
  return <Calendar schedule={schedule ?? undefined} />;
}

const Invalid = () => (
  <p class="hint">
    <Say of="portal.badCalendar" />
  </p>
);

/** When each attempt comes, if all before it fail. */
export function Calendar({ schedule = DEFAULT_SCHEDULE }: { schedule?: readonly number[] | undefined }) {
  let afterSeconds = 0;
  const later = schedule.map((wait) => {
    afterSeconds += wait;
    return duration(afterSeconds);
  });
  return (
    <ol class="calendar" aria-label={useTexts().say("portal.attemptsColumn")}>
      <li>
        <Say of="portal.atOnce" />
      </li>
      {later.map((time) => (
        <li>
          <Say of="portal.after" values={{ time }} />
        </li>
      ))}
    </ol>
  );
}
