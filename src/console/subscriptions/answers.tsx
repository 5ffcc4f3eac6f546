/** The fields for how answers affect retries: `Retry-After`, 410 and the abort header. */
import type { RetryOptions } from "../../webhooks/subscriptions/retry-options";
import { Select } from "../components/fields";
import type { Failure } from "../failure";

/** The choices in the form; "" for a field that the form does not have. */
export interface AnswerValues {
  respectRetryAfter: string;
  onGone: string;
  abortHeader: string;
}

const YES_OR_NO: Readonly<Record<string, boolean>> = { yes: true, no: false };
const yesOrNo = (value: boolean | undefined) => (value === undefined ? "default" : value ? "yes" : "no");

/** What the form shows for the options that are set. */
export const answerValues = (retry: RetryOptions | undefined): AnswerValues => ({
  respectRetryAfter: yesOrNo(retry?.respectRetryAfter),
  onGone: retry?.onGone ?? "default",
  abortHeader: yesOrNo(retry?.abortHeader ?? false),
});

/** What the form sets, for the API's schema to validate. */
export function answerChange({ respectRetryAfter, onGone, abortHeader }: AnswerValues): Record<string, unknown> {
  const chosen = (value: string) => (value === "default" ? null : (YES_OR_NO[value] ?? value));
  return {
    ...(respectRetryAfter === "" ? {} : { respectRetryAfter: chosen(respectRetryAfter) }),
    ...(onGone === "" ? {} : { onGone: onGone === "default" ? null : onGone }),
    ...(abortHeader === "" ? {} : { abortHeader: abortHeader === "no" ? null : chosen(abortHeader) }),
  };
}

export const AnswerFields = ({ values, failure }: { values: AnswerValues; failure?: Failure | undefined }) => (
  <>
    <Select
      name="respectRetryAfter"
      label="When the receiver answers with Retry-After"
      value={values.respectRetryAfter}
      options={[
        ["default", "Default"],
        ["yes", "Wait as long as it asks"],
        ["no", "Ignore it"],
      ]}
      hint="The default is to wait, except with the default retries. A delivery waits at most a day. After 429 or 503, all deliveries to this subscription wait, for up to an hour."
      failure={failure}
    />
    <Select
      name="onGone"
      label="When the receiver answers 410 (Gone)"
      value={values.onGone}
      options={[
        ["default", "Default"],
        ["disable", "End the delivery"],
        ["retry", "Try again"],
      ]}
      hint="The default is to end the delivery, except with the default retries. A second 410 at least a minute later, with no success in between, then disables the subscription."
      failure={failure}
    />
    <Select
      name="abortHeader"
      label="When a failed answer has the header webhook-delivery: abort"
      value={values.abortHeader}
      options={[
        ["no", "Try again (default)"],
        ["yes", "End the delivery"],
      ]}
      failure={failure}
    />
  </>
);
