/** The column `options` of a subscription: what a change makes of it, and whether two values mean the same. */
import type { DeliveryOptions, OptionsPatch } from "./delivery-options";

/** The options that the column stores: the filter has one of its own. */
export type StoredOptions = Omit<DeliveryOptions, "filter">;

/**
 * The options after a merge patch (RFC 7396), without empty members; null when nothing is left. The options beside
 * `retry` are replaced as a whole.
 */
export function patchOptions(before: StoredOptions | null, patch: OptionsPatch): StoredOptions | null {
  const { retry, ...replaced } = patch;
  const merged = { ...before, ...replaced };
  if (retry !== undefined) Object.assign(merged, { retry: retry && { ...before?.retry, ...retry } });
  return withoutEmpty(merged) as StoredOptions | null;
}

/** Without members that are missing, null or empty; null when none is left. */
function withoutEmpty(value: unknown): unknown {
  if (!(value instanceof Object) || Array.isArray(value)) return value ?? null;
  const members = Object.entries(value).map(([name, member]) => [name, withoutEmpty(member)] as const);
  const left = members.filter(([, member]) => member !== null);
  return left.length === 0 ? null : Object.fromEntries(left);
}

/** Whether two values have the same options, in any order; given `names`, only these options count. */
export const isSameOptions = (
  a: StoredOptions | null,
  b: StoredOptions | null,
  names?: readonly (keyof StoredOptions)[],
): boolean => textOf(a, names) === textOf(b, names);

/** With sorted members. */
const textOf = (options: StoredOptions | null, names?: readonly string[]): string =>
  JSON.stringify(options ?? {}, (key, value: unknown) => {
    if (!(value instanceof Object) || Array.isArray(value)) return value;
    const counts = ([name]: [string, unknown]) => key !== "" || !names || names.includes(name);
    return Object.fromEntries(Object.entries(value).filter(counts).sort());
  });
