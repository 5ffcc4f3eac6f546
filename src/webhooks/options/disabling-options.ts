/** `delivery.autoDisable`: when failures disable a subscription. */
import * as z from "zod";
import { type Deployment, type OptionField, plainOption } from "../../base/option";

const autoDisable = z.union([z.literal(false), z.strictObject({ afterHours: z.int().min(24).max(720) })]);

type AutoDisable = z.infer<typeof autoDisable>;

/** "never", "own" with the hours in a second input, or "default". */
const field: OptionField = {
  inputs: [
    {
      kind: "choice",
      name: "disabling",
      label: "If deliveries keep failing",
      choices: ({ autoDisableHours }: Deployment) => [
        [
          "default",
          autoDisableHours === null
            ? "Never disable it (default)"
            : `Disable it after ${autoDisableHours} hours (default)`,
        ],
        ["own", "Disable it after a time of my choice"],
        ["never", "Never disable it"],
      ],
      hint:
        "It is disabled if no delivery succeeds for that long and at least 20 attempts fail. Owners and admins get a " +
        "mail when failures last an hour, and another one a day before it is disabled.",
    },
    {
      kind: "number",
      name: "autoDisable",
      label: "Hours until it is disabled",
      placeholder: "72",
      hint: "24 to 720. Only used with “Disable it after a time of my choice”.",
    },
  ],
  errorInput: "autoDisable",
  show: (value) => {
    const set = value as AutoDisable | undefined;
    if (set === undefined) return { disabling: "default", autoDisable: "" };
    return set === false
      ? { disabling: "never", autoDisable: "" }
      : { disabling: "own", autoDisable: String(set.afterHours) };
  },
  read: ({ disabling, autoDisable: hours }) => {
    if (disabling === undefined) return undefined;
    if (disabling === "default") return null;
    return disabling === "never" ? false : { afterHours: Number(hours) };
  },
};

export const DISABLING_OPTIONS = {
  autoDisable: plainOption(
    autoDisable,
    {
      description:
        "After how many hours without a success a subscription is disabled, if at least 20 attempts have failed; " +
        "false for never.",
      values: '`{ "afterHours": 24 }` to `{ "afterHours": 720 }`, or `false`',
      byDefault: "what the deployment sets with `AUTO_DISABLE_HOURS`, usually 120 hours",
      examples: [{ afterHours: 72 }],
    },
    field,
  ),
};

/** Returns after how many hours of failures a subscription with these options is disabled; null for never. */
export const autoDisableHours = (
  options: { autoDisable?: AutoDisable | undefined } | null,
  defaultHours: number | null,
): number | null => (options?.autoDisable === false ? null : (options?.autoDisable?.afterHours ?? defaultHours));
