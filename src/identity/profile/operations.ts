/** What people change about themselves. */
import { operation } from "../../base/operation";
import { changeEmail, confirmEmail } from "./email-change";
import { emailChange, emailConfirmation, profileChange } from "./schemas";
import { renameUser } from "./store";
import { profileView } from "./view";

export const profile = {
  read: operation({ openWhenSuspended: true, verb: async ({ session }) => profileView(session) }),
  change: operation({
    limit: { rule: "changeProfile", per: "user" },
    schema: profileChange,
    verb: ({ deps, session, input }) => renameUser(deps, session, input.name),
  }),
  changeEmail: operation({
    limit: { rule: "changeEmail", per: "user" },
    schema: emailChange,
    verb: ({ deps, session, input }) => changeEmail(deps, session, input),
  }),
  confirmEmail: operation({
    limit: { rule: "changeProfile", per: "user" },
    schema: emailConfirmation,
    verb: ({ deps, session, input }) => confirmEmail(deps, session, input.token),
  }),
};
