/** What people do with the providers that they sign in with. */
import * as z from "zod";
import { type Call, operation } from "../../../base/operation";
import { stepUpFields } from "../../accounts/step-up-schemas";
import { listIdentitiesOfUser } from "../../providers/store";
import { recentSignIn, recentSignInOrCredentials, requireVerifiedAddress } from "../../step-up/confirm";
import { linkBody } from "../providers/schemas";
import { linkedProvider, removeIdentity, startLinking } from "./own";

const OWN = { openWhenSuspended: true, limit: { rule: "identities", per: "user" } } as const;

/** The form of the console may send the password for the step-up. */
const password = z.object(stepUpFields).pick({ password: true });

const refuseToLink = ({ deps, session, param }: Call<unknown>) => {
  linkedProvider(deps, param("id"));
  requireVerifiedAddress(deps, session);
};

export const identities = {
  list: operation({
    openWhenSuspended: true,
    verb: ({ deps, session }) => listIdentitiesOfUser(deps, session.userId),
  }),
  link: operation({
    ...OWN,
    takesCookiesAcrossOrigins: true,
    schema: linkBody,
    refuse: refuseToLink,
    stepUp: recentSignIn,
    verb: ({ deps, session, param, input, cookies }) =>
      startLinking(deps, session, { name: param("id"), to: input.to }, cookies),
  }),
  linkWithPassword: operation({
    ...OWN,
    schema: password,
    refuse: refuseToLink,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param, cookies }) => startLinking(deps, session, { name: param("id") }, cookies),
  }),
  unlink: operation({
    ...OWN,
    stepUp: recentSignIn,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
  }),
  unlinkWithPassword: operation({
    ...OWN,
    schema: password,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
  }),
};
