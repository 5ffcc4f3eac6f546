/** What people change about themselves. */
import { operation } from "../../base/operation";
import { recentSignInOrCredentials } from "../step-up/confirm";
import { changeEmail, confirmEmail, refuseAddress } from "./email-change";
import { emailChange, emailConfirmation, profileChange } from "./schemas";
import { renameUser } from "./store";
import { profileView } from "./view";

export const profile = {
  read: operation({ openWhenSuspended: true, verb: async ({ session }) => profileView(session) }),
  change: operation({
    openWhenSuspended: true,
    limit: { rule: "changeProfile", per: "user" },
    schema: profileChange,
    verb: ({ deps, session, input }) => renameUser(deps, session, input.name),
  }),
  changeEmail: operation({
    openWhenSuspended: true,
    limit: { rule: "changeEmail", per: "user" },
    schema: emailChange,
    refuse: ({ deps, session, input }) => refuseAddress(deps, session, input.email),
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, input }) => changeEmail(deps, session, input.email),
  }),
  confirmEmail: operation({
    openWhenSuspended: true,
    limit: { rule: "changeProfile", per: "user" },
    schema: emailConfirmation,
    verb: ({ deps, session, input }) => confirmEmail(deps, session, input.token),
  }),
};
