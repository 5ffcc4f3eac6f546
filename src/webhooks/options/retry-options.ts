/** `delivery.retry`: when a failed delivery is tried again, and what an answer changes about it. */
import * as z from "zod";
import { choiceField, codes, plainOption } from "../../base/option";
import { scheduleOption } from "./schedule-option";

export const RETRY_OPTIONS = {
  schedule: scheduleOption,
  respectRetryAfter: plainOption(
    z.boolean(),
    {
      description:
        "Whether `Retry-After` can make a wait longer, up to a day, and whether 429 or 503 with this header stops " +
        "all deliveries for up to an hour.",
      values: "`true` or `false`",
      byDefault: "true if there is a schedule",
      examples: [true],
    },
    choiceField("respectRetryAfter", {
      label: "When the receiver answers with Retry-After",
      choices: [
        ["default", "Default", null],
        ["yes", "Wait as long as it asks", true],
        ["no", "Ignore it", false],
      ],
      hint:
        "The default is to wait, but not with the default retries. A delivery waits at most a day. After 429 or 503, " +
        "all deliveries to this subscription wait, for up to an hour.",
    }),
  ),
  onGone: plainOption(
    z.enum(["disable", "retry"]),
    {
      description:
        "What happens after 410. `disable` ends the delivery, and a second 410 at least a minute later, without a " +
        "success in between, disables the subscription.",
      values: codes(["disable", "retry"]),
      byDefault: "`disable` if there is a schedule, otherwise `retry`",
      examples: ["disable"],
    },
    choiceField("onGone", {
      label: "When the receiver answers 410 (Gone)",
      choices: [
        ["default", "Default", null],
        ["disable", "End the delivery", "disable"],
        ["retry", "Try again", "retry"],
      ],
      hint:
        "The default is to end the delivery, but not with the default retries. A second 410 at least a minute later, " +
        "with no success in between, then disables the subscription.",
    }),
  ),
  abortHeader: plainOption(
    z.boolean(),
    {
      description: "Whether the response header `webhook-delivery: abort` ends a delivery that failed.",
      values: "`true` or `false`",
      byDefault: "false",
      examples: [true],
    },
    choiceField("abortHeader", {
      label: "When a failed answer has the header webhook-delivery: abort",
      choices: [
        ["no", "Try again (default)", null],
        ["yes", "End the delivery", true],
      ],
    }),
  ),
};

/** The retry options that are set. */
export type RetryOptions = {
  [N in keyof typeof RETRY_OPTIONS]?: z.infer<(typeof RETRY_OPTIONS)[N]["shown"]> | undefined;
};
