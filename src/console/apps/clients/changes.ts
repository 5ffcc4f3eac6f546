/** What ends an app's secret, its tokens or the app: the words of the confirmation pages. */
import type { OperatorChange } from "../../changes/changes";
import type { AppsPlace } from "../place";

export const changesOfClient = ({ clients }: AppsPlace): readonly OperatorChange[] => [
  {
    path: "/registered/:id/secret/end",
    asks: "End the former secret of",
    effects: ["The app is refused at once where it still uses the former secret. The present one works on."],
    button: "End the former secret",
    asksForReason: false,
    done: "formerSecretEnded",
    operation: clients.endSecret,
  },
  {
    path: "/registered/:id/revoke",
    asks: "End all sign-ins to",
    effects: ["Everybody signs in to the app again. What people have allowed it stays."],
    button: "End the sign-ins",
    asksForReason: false,
    done: "appSignInsEnded",
    operation: clients.revoke,
  },
  {
    path: "/registered/:id/delete",
    asks: "Delete",
    effects: ["Nobody signs in to the app any more, and its tokens end at once.", "What people have allowed it goes."],
    button: "Delete the app",
    asksForReason: false,
    done: "appDeleted",
    operation: clients.delete,
  },
];
