/**
 * The delivery options of a subscription as its page shows them: those that are set, and what happens when it is off.
 */

import { type Deployment, valueAt } from "../../base/option";
import { DELIVERY_OPTIONS, type DeliveryOptions } from "../../webhooks/options/delivery-options";
import type { RateLimit } from "../../webhooks/options/limit-options";

/** What the page shows elsewhere: the schedule as a calendar, the headers as a list, the filter with a link. */
const SHOWN_APART = ["retry.schedule", "headers", "filter"];
/** What the page shows even if it has its default. */
const ALWAYS_SHOWN = ["onPause", "autoDisable"];

/** The values that are not a choice from a list. */
const TEXTS: Readonly<Record<string, (value: never) => string>> = {
  rateLimit: ({ limit, per }: RateLimit) => `${limit.toLocaleString("en")} per ${per}`,
  maxConcurrent: (limit: number) => String(limit),
  autoDisable: (value: false | { afterHours: number }) =>
    value === false ? "Never disable it" : `Disable it after ${value.afterHours} hours`,
};

/** Labels and values, in the order of the form. */
export const settingsOf = (options: DeliveryOptions | null, deployment: Deployment): (readonly [string, string])[] =>
  DELIVERY_OPTIONS.filter(({ path }) => !SHOWN_APART.includes(path)).flatMap(({ path, field }) => {
    const value = valueAt(options, path);
    if (value === undefined && !ALWAYS_SHOWN.includes(path)) return [];
    const [input] = field.inputs;
    if (!input) return [];
    const format = value === undefined ? undefined : TEXTS[path];
    if (format) return [[input.label, format(value as never)] as const];
    const chosen = field.show(value)[input.name];
    const choice = input.choices?.(deployment).find(([text]) => text === chosen);
    return [[input.label, choice?.[1] ?? chosen ?? ""] as const];
  });
