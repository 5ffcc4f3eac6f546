/**
 * `delivery`: the options of a subscription for its deliveries. An option without a value has its default, and is not
 * stored or shown. Each option is described once, in one of the tables that this file puts together.
 */
import * as z from "zod";
import type { ErrorDetail } from "../../base/errors";
import { jsonOf } from "../../base/json";
import { type DeliveryOption, inputNames, type Texts, textsFor, valueAt, valuesIn } from "../../base/option";
import type { FilterObject } from "../filters/filter";
import { DISABLING_OPTIONS } from "./disabling-options";
import { FILTER_OPTIONS } from "./filter-option";
import { HEADER_OPTIONS, type HeadersView } from "./header-options";
import { LIMIT_OPTIONS } from "./limit-options";
import { RETRY_OPTIONS } from "./retry-options";
import { SENDING_OPTIONS } from "./sending-options";

/** The options beside `retry` that the column `options` stores. */
const STORED_OPTIONS = { ...SENDING_OPTIONS, ...LIMIT_OPTIONS, ...DISABLING_OPTIONS };

type Options = Readonly<Record<string, DeliveryOption>>;

const mapped = (options: Options, to: (option: DeliveryOption) => z.ZodType) =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [name, to(option)]));

/** The schemas of a change by name: a member may be left out, and null sets it back to its default. */
const changesOf = <O extends Options>(options: O) =>
  mapped(options, ({ change }) => change.nullable().optional()) as {
    [N in keyof O]: z.ZodOptional<z.ZodNullable<O[N]["change"]>>;
  };

/** The schemas of what is stored and shown, by name. */
const shownOf = <O extends Options>(options: O) =>
  mapped(options, ({ shown }) => shown.optional()) as { [N in keyof O]: z.ZodOptional<O[N]["shown"]> };

const retryChange = z.strictObject(changesOf(RETRY_OPTIONS)).meta({
  id: "RetryChange",
  description: "How failed deliveries are tried again; null sets a member back to its default.",
});

/**
 * A change of the options (RFC 7396): a member that is left out stays as it is, and null sets it back to its default.
 */
export const deliveryChange = z
  .strictObject({
    retry: retryChange.nullable().optional(),
    ...changesOf({ ...FILTER_OPTIONS, ...STORED_OPTIONS, ...HEADER_OPTIONS }),
  })
  .meta({
    id: "DeliveryChange",
    description: "A member that is left out stays as it is; null sets it back to its default.",
  });

/** Every member that is set, except the headers, which are encrypted. The filter has a column of its own. */
const storedOptions = z.object({
  retry: z
    .object(shownOf(RETRY_OPTIONS))
    .meta({ id: "RetryOptions", description: "The retry options that are set." })
    .optional(),
  ...shownOf({ ...FILTER_OPTIONS, ...STORED_OPTIONS }),
});

/** The options that are set. */
export const deliveryOptions = storedOptions.extend(shownOf(HEADER_OPTIONS)).meta({
  id: "DeliveryOptions",
  description: "The options that are set. Missing if none are.",
});

export type DeliveryChange = z.infer<typeof deliveryChange>;
export type DeliveryOptions = z.infer<typeof storedOptions>;
export type DeliveryOptionsView = z.infer<typeof deliveryOptions>;

/** An option with its place in `delivery`, such as `retry.schedule`. */
interface PlacedOption extends DeliveryOption {
  path: string;
}

const placed = (options: Options, group = ""): PlacedOption[] =>
  Object.entries(options).map(([name, option]) => ({ ...option, path: `${group}${name}` }));

/** All options, in the order of the console's form. */
export const DELIVERY_OPTIONS: readonly PlacedOption[] = [
  ...placed(FILTER_OPTIONS),
  ...placed(SENDING_OPTIONS),
  ...placed(HEADER_OPTIONS),
  ...placed(LIMIT_OPTIONS),
  ...placed(RETRY_OPTIONS, "retry."),
  ...placed(DISABLING_OPTIONS),
];

/** A merge patch for the stored options. */
export type OptionsPatch = Readonly<Record<string, unknown>>;

const patchOf = (options: Options, change: object): OptionsPatch =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, { toStored }]) => {
      const value = valueAt(change, name);
      return value === undefined ? [] : [[name, value === null || !toStored ? value : toStored(value)]];
    }),
  );

/** The filter after a change; null: none. Undefined if the change keeps it. */
export const filterAfter = (change: DeliveryChange | null | undefined): FilterObject | null | undefined =>
  change === null ? null : change?.filter;

/** Returns the merge patch for the column `options`. The change null sets all of them back to their defaults. */
export function optionsPatch(change: DeliveryChange | null): OptionsPatch {
  if (change === null) return { retry: null, ...patchOf(STORED_OPTIONS, ALL_DEFAULTS) };
  const { retry } = change;
  return {
    ...patchOf(STORED_OPTIONS, change),
    ...(retry === undefined ? {} : { retry: retry && patchOf(RETRY_OPTIONS, retry) }),
  };
}

const ALL_DEFAULTS = Object.fromEntries(Object.keys(STORED_OPTIONS).map((name) => [name, null]));
const NO_RETRY_OPTIONS = Object.fromEntries(Object.keys(RETRY_OPTIONS).map((name) => [name, null]));

/**
 * Returns the change that leaves exactly what `delivery` sets: the other options get their defaults, and the other
 * headers of the names `headerNames` are removed.
 */
export function wholeDelivery(
  delivery: DeliveryChange | null | undefined,
  headerNames: readonly string[],
): DeliveryChange {
  const headers = { ...Object.fromEntries(headerNames.map((name) => [name, null])), ...delivery?.headers };
  return {
    ...ALL_DEFAULTS,
    filter: null,
    ...delivery,
    retry: delivery?.retry ? { ...NO_RETRY_OPTIONS, ...delivery.retry } : null,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
  };
}

/** Returns why this deployment refuses a change; empty if it does not. */
export const refuseOptions = (change: DeliveryChange, retentionDays: number): ErrorDetail[] =>
  DELIVERY_OPTIONS.flatMap(({ path, refuse }) => {
    const value = valueAt(change, path);
    const message = value === undefined || value === null ? undefined : refuse?.(value, retentionDays);
    return message === undefined ? [] : [{ path: `delivery.${path}`, message }];
  });

/** Returns the options that are set, as the API shows them; null when none is. */
export function deliveryView(options: DeliveryOptions | null, headers: HeadersView): DeliveryOptionsView | null {
  const all = { ...options, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
  const set = Object.entries(all).filter(([name]) => name in deliveryOptions.shape);
  return set.length > 0 ? Object.fromEntries(set) : null;
}

/** The names of the inputs of the console's form. */
export const INPUT_NAMES: readonly string[] = inputNames(DELIVERY_OPTIONS);

/** What the console's form shows for the options that are set. */
export const textsOf = (options: DeliveryOptions | null): Texts => textsFor(DELIVERY_OPTIONS, options);

/** What the console's form sets, for the schema to validate. */
export const changeOf = (texts: Texts): Record<string, unknown> => valuesIn(DELIVERY_OPTIONS, texts);

/** The input that shows an error at a path of a request, such as `delivery.retry.schedule.0`; undefined for others. */
export const inputOf = (path: string): string | undefined =>
  DELIVERY_OPTIONS.find((option) => `${path}.`.startsWith(`delivery.${option.path}.`))?.field.errorInput;

/** Reads the columns `options` and `filter`. A filter that is no JSON is left out. */
export function parseOptions(stored: string | null, filter: string | null = null): DeliveryOptions | null {
  if (stored === null && filter === null) return null;
  const options = stored === null ? {} : (JSON.parse(stored) as DeliveryOptions);
  const shown = filter === null ? undefined : (jsonOf(filter) as FilterObject | undefined);
  return shown === undefined ? options : { ...options, filter: shown };
}
