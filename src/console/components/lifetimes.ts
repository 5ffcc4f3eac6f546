/** How long a key lasts, as the forms offer it. */
import { DAY_MS, iso } from "../../base/time";

/** Days until a key expires, with their labels. */
export const LIFETIMES = [
  ["", "Never"],
  ["30", "After 30 days"],
  ["90", "After 90 days"],
  ["365", "After a year"],
] as const;

/** The expiry for a lifetime. One that the form does not offer ends now, which the schema refuses. */
export const expiryOf = (days: string, nowMs: number) => {
  if (days === "") return {};
  const offered = LIFETIMES.some(([value]) => value === days);
  return { expiresAt: iso(nowMs + (offered ? Number(days) * DAY_MS : 0)) };
};
