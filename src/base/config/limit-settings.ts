/** The settings for limits: overrides of rate limits, the budgets and the caps. */
import * as z from "zod";
import { jsonOf } from "../json";
import { CAPS, type CapName, type Caps } from "../limits/caps";
import { BUDGETS, type BudgetName, type LimitName, RULES, type Rule, type RuleName } from "../limits/rules";
import { figure } from "../schemas/settings";

/** Rate limits by name, from JSON such as {"login":{"limit":30,"windowSeconds":60}}. */
const ruleOverrides = z
  .string()
  .transform((text, context) => {
    const value = jsonOf(text);
    if (value === undefined) context.addIssue({ code: "custom", message: "not JSON" });
    return value;
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

type CapVariable = (typeof CAPS)[CapName]["variable"];
type FigureSetting = { description: string } & ReturnType<typeof figure>;

const CAP_VARIABLES = Object.fromEntries(
  Object.values(CAPS).map(({ variable, limit, per, what, ...cap }) => {
    const note = "note" in cap ? ` ${cap.note}` : "";
    return [variable, { description: `How many ${what} a ${per} can have.${note}`, ...figure(limit) }];
  }),
) as Record<CapVariable, FigureSetting>;

export const LIMIT_VARIABLES = {
  RATE_LIMITS: {
    description: "Overrides the [rate limits](limits.md), by name.",
    must: 'be JSON such as {"login":{"limit":30,"windowSeconds":60}} with known rule names',
    schema: ruleOverrides,
  },
  TENANT_DELIVERIES_PER_MINUTE: {
    description:
      "How many deliveries a tenant may cause per minute. An event that would exceed this is refused with 429.",
    ...figure(BUDGETS.tenantDeliveries.perMinute),
  },
  TENANT_PAYLOAD_MIB_PER_MINUTE: {
    description:
      "How many MiB of payloads a tenant may publish per minute. An event that would exceed this is refused with 429.",
    ...figure(BUDGETS.tenantPayloadBytes.perMinute),
  },
  TENANT_STORED_MIB: {
    description:
      "How many MiB a tenant may [store](limits.md#storage), counted once an hour. Beyond that, events are refused " +
      "with 429 until retention has removed enough.",
    ...figure(1_024),
  },
  ...CAP_VARIABLES,
} as const;

/** The limits in force. */
export interface LimitSettings {
  rules: Record<LimitName, Rule>;
  caps: Caps;
  tenantStoredMib: number;
}

/** Reads a variable. All of them are numbers except RATE_LIMITS. */
interface Read {
  (name: "RATE_LIMITS"): z.output<typeof ruleOverrides>;
  (name: Exclude<keyof typeof LIMIT_VARIABLES, "RATE_LIMITS">): number;
}

export function readLimits(read: Read): LimitSettings {
  const perMinute = (name: BudgetName): Rule => {
    const { variable, units } = BUDGETS[name];
    return { limit: read(variable) * units, windowSeconds: 60 };
  };
  const caps = Object.entries(CAPS).map(([name, { variable }]) => [name, read(variable)]);
  return {
    rules: {
      ...RULES,
      ...read("RATE_LIMITS"),
      tenantDeliveries: perMinute("tenantDeliveries"),
      tenantPayloadBytes: perMinute("tenantPayloadBytes"),
    },
    caps: Object.fromEntries(caps) as Caps,
    tenantStoredMib: read("TENANT_STORED_MIB"),
  };
}
