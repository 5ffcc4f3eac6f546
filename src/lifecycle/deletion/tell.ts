/** The steps of a purge that tell people. */
import { queueMail } from "../../base/mail/queue";
import { MINUTE_MS } from "../../base/time";
import { hasOpenParts, readMembersFrom } from "./purge-store";
import { mailIdOf, type Step } from "./steps";

const MAILS_PER_PAGE = 50;

/** Mails the former members of a tenant that it is gone. */
export const tellMembers: Step = {
  name: "tell members",
  page: async (deps, purge, cursor) => {
    const from = Number(cursor);
    const members = (await readMembersFrom(deps, purge, from)).slice(0, MAILS_PER_PAGE);
    for (const [index, userId] of members.entries()) {
      const id = mailIdOf(purge, from + index);
      await queueMail(deps, { kind: "tenantDeleted", id, userId, tenantName: purge.name ?? "" });
    }
    return members.length === MAILS_PER_PAGE ? { cursor: String(from + MAILS_PER_PAGE) } : "done";
  },
};

/** Waits until the tenants that were deleted with the account are removed. */
export const afterTenants: Step = {
  name: "after tenants",
  page: async (deps, purge) => ((await hasOpenParts(deps, purge)) ? { notBefore: deps.now() + MINUTE_MS / 2 } : "done"),
};

/** Confirms to the former address that everything is removed. */
export const tellFormerUser: Step = {
  name: "tell former user",
  page: async (deps, purge) => {
    const { mailTo: email, name, locale, createdAt: deletedAt } = purge;
    if (email !== null) {
      await queueMail(deps, { kind: "accountDeleted", id: mailIdOf(purge), email, name, locale, deletedAt });
    }
    return "done";
  },
};
