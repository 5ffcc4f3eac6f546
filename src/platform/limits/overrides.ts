/** The setting that overrides rate limits by name. */
import * as z from "zod";
import { RULES, type RuleName } from "./rules";

/** Parses JSON such as {"login":{"limit":30,"windowSeconds":60}}. */
export const ruleOverrides = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue({ code: "custom", message: "not JSON" });
      return z.NEVER;
    }
  })
  .pipe(
    z.partialRecord(
      z.enum(Object.keys(RULES) as [RuleName, ...RuleName[]]),
      z.strictObject({
        // Some limits count bytes.
        limit: z.int().min(1).max(10_000_000_000),
        windowSeconds: z.int().min(1).max(86_400),
      }),
    ),
  );
