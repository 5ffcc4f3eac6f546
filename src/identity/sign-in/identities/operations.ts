/** What people do with the providers that they sign in with. */
import * as z from "zod";
import { operation } from "../../../base/operation";
import { stepUpFields } from "../../accounts/step-up-schemas";
import { listIdentitiesOfUser } from "../../providers/store";
import { recentSignIn, recentSignInOrCredentials } from "../../step-up/confirm";
import { linkBody } from "../providers/schemas";
import { removeIdentity, startLinking } from "./own";

const LIMITED = { limit: { rule: "identities", per: "user" } } as const;
/** The form of the console may send the password for the step-up. */
const password = z.object(stepUpFields).pick({ password: true });

export const identities = {
  list: operation({ verb: ({ deps, session }) => listIdentitiesOfUser(deps, session.userId) }),
  link: operation({
    ...LIMITED,
    schema: linkBody,
    verb: ({ deps, session, param, input, cookies }) =>
      startLinking(deps, session, { name: param("id"), to: input.to }, cookies),
  }),
  linkWithPassword: operation({
    ...LIMITED,
    schema: password,
    verb: ({ deps, session, param, input, cookies }) =>
      startLinking(deps, session, { name: param("id") }, cookies, input),
  }),
  unlink: operation({
    ...LIMITED,
    stepUp: recentSignIn,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
  }),
  unlinkWithPassword: operation({
    ...LIMITED,
    schema: password,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
  }),
};
