/** Schemas that settings share. */
import * as z from "zod";

const EMAIL_DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;

/** A comma-separated list; empty entries are dropped. */
export const commaList = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

/** A whole number in this range, in digits. */
export const wholeNumber = (min: number, max: number) =>
  z.string().transform((text, context) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number <= max) return number;
    context.addIssue({ code: "custom", message: "unknown form" });
    return z.NEVER;
  });

/** The setting for a positive number that overrides `fallback`, such as a limit or cap. */
export const figure = (fallback: number) => ({
  must: "be a whole number from 1 to 100000000",
  schema: wholeNumber(1, 100_000_000).prefault(String(fallback)),
});

/** Who may register without an invitation. */
export type Registration = { for: "everybody" } | { for: "invited" } | { for: "domains"; domains: readonly string[] };

/** `open`, `invite`, or `domains:` and a comma-separated list of domains. */
export const registration = z
  .string()
  .trim()
  .toLowerCase()
  .transform((text, context): Registration => {
    if (text === "open") return { for: "everybody" };
    if (text === "invite") return { for: "invited" };
    const domains = commaList.safeParse(text.match(/^domains:(.*)$/)?.[1]).data ?? [];
    if (domains.length > 0 && domains.every((domain) => EMAIL_DOMAIN.test(domain))) return { for: "domains", domains };
    context.addIssue({ code: "custom", message: "unknown form" });
    return z.NEVER;
  });

/**
 * Whether the host of `origin` is that of `appUrl` or a subdomain of it. Browsers refuse a passkey on any other host.
 */
export function isAtOrBelow(origin: string, appUrl: string): boolean {
  const host = new URL(appUrl).hostname;
  const hostname = URL.parse(origin)?.hostname ?? "";
  return hostname === host || hostname.endsWith(`.${host}`);
}

/** A key of a Turnstile widget; empty for none. */
export const widgetKey = z
  .string()
  .regex(/^[\w-]{0,100}$/)
  .prefault("");
