/** `/auth/me` and `/auth/change-email`: the signed-in user, their name and their address. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { sessionOf } from "../../base/http/permissions";
import { dataOf } from "../../base/schemas/schemas";
import { recentSignInOrCredentials } from "../step-up/confirm";
import { changeEmail, refuseAddress } from "./email-change";
import { emailChange, profileChange, profile as profileSchema } from "./schemas";
import { changeProfile } from "./store";
import { profileView } from "./view";

const CHANGE_MAILED = "Confirmation email sent.";

export const profile = {
  read: endpoint({
    id: "getMe",
    summary: "The signed-in user, their tenant and their permissions there.",
    inConfinedSession: "open",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(profileSchema) }),
    verb: async ({ session }) => profileView(session),
    answer: (c, data) => c.json({ data }),
  }),
  change: endpoint({
    id: "updateMe",
    summary: "Changes the name or the language of the signed-in user.",
    openWhenSuspended: true,
    limit: { rule: "changeProfile", per: "user" },
    schema: profileChange,
    answers: () => ({ 200: dataOf(profileSchema) }),
    verb: ({ deps, session, input }) => changeProfile(deps, session, input),
    answer: (c, _, { name, locale }) => {
      const before = profileView(sessionOf(c));
      const [newName, newLocale] = [
        name === undefined ? before.name : name,
        locale === undefined ? before.locale : locale,
      ];
      return c.json({ data: { ...before, name: newName, locale: newLocale } });
    },
  }),
  changeEmail: endpoint({
    id: "changeEmail",
    summary: "Mails a link to a new address, which changes the address of the account.",
    description:
      "The link works for 24 hours and once, and a newer request ends it. The answer is the same whether or not " +
      "another account has the address. The present address gets a link that undoes all of this for 72 hours. " +
      "Needs a sign-in or a step-up within the last ten minutes, or the password or a code. The addresses of " +
      "operators of the service cannot be changed.",
    openWhenSuspended: true,
    limit: { rule: "changeEmail", per: "user" },
    schema: emailChange,
    refuse: ({ deps, session, input }) => refuseAddress(deps, session, input.email),
    stepUp: recentSignInOrCredentials,
    errors: ["FORBIDDEN"],
    verb: ({ deps, session, input }) => changeEmail(deps, session, input.email),
    answer: saying(CHANGE_MAILED),
  }),
};

export const profileRoutes = routes({
  "GET /me": profile.read,
  "PATCH /me": profile.change,
  "POST /change-email": profile.changeEmail,
});
