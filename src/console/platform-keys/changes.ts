/** What ends a platform key or its former one: the words of the confirmation pages. */
import { platformKeys } from "../../identity/platform-keys/api";
import type { OperatorChange } from "../changes/changes";

export const KEY_CHANGES: readonly OperatorChange[] = [
  {
    path: "/:id/previous/end",
    asks: "End the former key of",
    effects: ["Programs that still use the former key are refused at once.", "The present key works on."],
    button: "End the former key",
    asksForReason: false,
    done: "formerKeyEnded",
    operation: platformKeys.endPrevious,
  },
  {
    path: "/:id/revoke",
    asks: "Revoke",
    effects: ["Programs that use this key are refused at once, and so are those that use its former one."],
    button: "Revoke the key",
    asksForReason: false,
    done: "platformKeyRevoked",
    operation: platformKeys.revoke,
  },
];
