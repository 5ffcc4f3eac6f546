/** Mails to the other operators about what one of them has done, so that nobody acts unseen. */
import type { Deps } from "../../base/deps";
import type { OperatorNews } from "../../base/mail/job";
import { queueMailIfPossible } from "../../base/mail/queue";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { readOtherOperators } from "./notices-store";

/** Mails news to the other operators, after the answer. */
export function tellOperators(deps: Deps, operator: SessionPrincipal, news: Omit<OperatorNews, "by">): void {
  deps.background("notice to operators", mailOperators(deps, operator, news));
}

async function mailOperators(
  deps: Deps,
  { userId, actor }: SessionPrincipal,
  news: Omit<OperatorNews, "by">,
): Promise<void> {
  const by = actor.name ?? "An operator";
  for (const otherId of await readOtherOperators(deps, userId)) {
    await queueMailIfPossible(deps, { kind: "operatorNotice", userId: otherId, news: { ...news, by } });
  }
}
