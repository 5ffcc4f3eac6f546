/** `/auth/change-email/confirm`: the link that changes the address of an account. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { emailConfirmation } from "../../identity/profile/schemas";
import { confirmEmail } from "./confirm";

export const address = {
  confirm: endpoint({
    id: "confirmEmail",
    summary: "Changes the address of the account, with the token that was mailed to the new one.",
    description:
      "Needs a session of the account: a stranger who follows the link changes nothing. Sessions stay; links " +
      "that were mailed before end. An account that has the address without having verified it ends: whoever follows " +
      "the link has the mailbox. For 72 hours nobody else can have the former address.",
    openWhenSuspended: true,
    limit: { rule: "changeProfile", per: "user" },
    schema: emailConfirmation,
    errors: ["INVALID_TOKEN", "EMAIL_TAKEN", "FORBIDDEN"],
    verb: ({ deps, session, input }) => confirmEmail(deps, session, input.token),
    answer: saying("Email changed."),
  }),
};

export const addressRoutes = routes({ "POST /change-email/confirm": address.confirm });
