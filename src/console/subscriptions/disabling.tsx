/** The fields for when failures disable a subscription. */
import { autoDisableHours, type DeliveryOptions } from "../../webhooks/subscriptions/delivery-options";
import { Select, TextField } from "../components/fields";
import type { Failure } from "../failure";

export interface DisablingValues {
  /** "default", "own" or "never"; "" for a form without the field. */
  disabling: string;
  /** The hours that were typed for "own". */
  hours: string;
}

/** What the form shows for the options that are set. */
export function disablingValues(options: DeliveryOptions | null): DisablingValues {
  if (options?.autoDisable === undefined) return { disabling: "default", hours: "" };
  const hours = autoDisableHours(options, null);
  return hours === null ? { disabling: "never", hours: "" } : { disabling: "own", hours: String(hours) };
}

/** What the form sets, for the API's schema to validate. */
export function disablingChange({ disabling, hours }: DisablingValues): { autoDisable?: unknown } {
  if (disabling === "") return {};
  if (disabling === "default") return { autoDisable: null };
  return { autoDisable: disabling === "never" ? false : { afterHours: Number(hours) } };
}

interface DisablingFieldsProps {
  values: DisablingValues;
  /** After how many hours the deployment disables a subscription by default; null for never. */
  defaultHours: number | null;
  failure?: Failure | undefined;
}

export const DisablingFields = ({ values, defaultHours, failure }: DisablingFieldsProps) => (
  <>
    <Select
      name="disabling"
      label="If deliveries keep failing"
      value={values.disabling}
      options={[
        [
          "default",
          defaultHours === null ? "Never disable it (default)" : `Disable it after ${defaultHours} hours (default)`,
        ],
        ["own", "Disable it after a time of my choice"],
        ["never", "Never disable it"],
      ]}
      hint="It is disabled if no delivery succeeds for that long and at least 20 attempts fail. Owners and admins get a mail when failures last an hour, and another one a day before it is disabled."
    />
    <TextField
      name="autoDisable"
      label="Hours until it is disabled"
      inputmode="numeric"
      value={values.hours}
      placeholder="72"
      hint="24 to 720. Only used with “Disable it after a time of my choice”."
      failure={failure}
    />
  </>
);
