/** What a tenant requires of its members. */
import { operation } from "../../base/operation";
import { recentSignIn } from "../step-up/confirm";
import { changePolicy, policyOfTenant } from "./change";
import { policyChange } from "./schemas";

export const policy = {
  read: operation({ permission: "member.read", verb: ({ deps, session }) => policyOfTenant(deps, session) }),
  change: operation({
    permission: "owner",
    limit: { rule: "changeSecurity", per: "user" },
    schema: policyChange,
    stepUp: recentSignIn,
    verb: ({ deps, session, input }) => changePolicy(deps, session, input),
  }),
};
