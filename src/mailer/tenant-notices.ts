/** Mails to the owners of a tenant, and to a member, about a change in it. */
import type { OperatorNews, TenantNews } from "../base/mail/job";
import { inWords } from "../base/texts/known";
import type { Language } from "../base/texts/texts";
import type { NoticeContext } from "./notices";
import { type MailContent, mailTo, namedLinks } from "./render";

/** The sentence about some news, and what to do if it is bad news. */
function describeNews(texts: Language, news: TenantNews, tenant: string): string[] {
  switch (news.what) {
    case "joined":
      return [texts.say("news.joined.text", { tenant, person: news.person, role: news.role })];
    case "roleChanged": {
      const { by, person, role } = news;
      return [texts.say("news.roleChanged.text", { by, person, role, tenant }), ...describeLeft(texts, news)];
    }
    case "removed": {
      const { by, person, keys } = news;
      return [
        texts.say("news.removed.text", { by, person, tenant }),
        ...describeKeys(texts, keys),
        ...describeLeft(texts, news),
      ];
    }
    case "left": {
      const { person, keys } = news;
      const said = texts.say("news.left.text", { person, tenant });
      return [said, ...describeKeys(texts, keys), ...describeLeft(texts, news)];
    }
    case "securityChanged":
      return [texts.say("news.securityChanged.text", { by: news.by, tenant, policy: describePolicy(texts, news) })];
    case "signOnRequired":
      return [texts.say("news.signOnRequired.text", { by: news.by, tenant, policy: describeSignOn(texts, news) })];
    case "brokenGlass":
      return [texts.say("news.brokenGlass.text", { by: news.by, tenant })];
    case "exported":
      return [texts.say("news.exported.text", { by: news.by, tenant })];
    case "auditReader": {
      const { by, subscription, host } = news;
      return [texts.say("news.auditReader.text", { by, subscription, host, tenant })];
    }
    case "auditTrimmed":
    case "signOnEnded":
      return [texts.say(`news.${news.what}.text`, { tenant })];
    case "imported":
      return [texts.say("news.imported.text", { by: news.by, tenant })];
    case "domainMissing":
    case "domainLost":
    case "domainTaken":
    case "domainGiven":
    case "domainToReview":
      return [texts.say(`news.${news.what}.text`, { domain: news.domain, tenant })];
    case "connectionFailing":
    case "toReview":
    case "certificateEnds":
      return [describeConnection(texts, news, tenant)];
    case "directoryOwner":
    case "directoryMany":
    case "directoryDigest":
    case "scimTokenEnds":
      return [describeDirectory(texts, news, tenant)];
    case "undone":
      return [
        texts.say("news.undone.text", { by: news.by }),
        ...(news.lines.length > 0 ? [texts.say("news.undone.list", { tenant }), ...inWords(texts, news.lines)] : []),
      ];
  }
}

type ConnectionNews = Extract<TenantNews, { connection: string }>;

function describeConnection(texts: Language, news: ConnectionNews, tenant: string): string {
  const days = news.what === "certificateEnds" ? { days: String(news.days) } : {};
  return texts.say(`news.${news.what}.text`, { connection: news.connection, tenant, ...days });
}

type DirectoryNews = Extract<TenantNews, { directory: string }>;

function describeDirectory(texts: Language, news: DirectoryNews, tenant: string): string {
  const { directory } = news;
  switch (news.what) {
    case "directoryOwner":
      return texts.say("news.directoryOwner.text", { directory, person: news.person, tenant });
    case "directoryMany":
      return texts.say("news.directoryMany.text", { directory, count: String(news.count), tenant });
    case "directoryDigest": {
      const [joined, left] = [String(news.joined), String(news.left)];
      return texts.say("news.directoryDigest.text", { directory, joined, left, tenant });
    }
    case "scimTokenEnds":
      return texts.say("news.scimTokenEnds.text", { directory, days: String(news.days), tenant });
  }
}

function describeKeys(texts: Language, keys: readonly string[] = []): string[] {
  if (keys.length === 0) return [];
  return [texts.count("news.keys", keys.length, { list: keys.join(", ") }), texts.say("news.keysAdvice")];
}

type Leaving = Extract<TenantNews, { what: "roleChanged" | "removed" | "left" }>;

/** What the person has set up, and may still know. */
function describeLeft(texts: Language, { person, subscriptions = [], tenantKeys = [], connections = [] }: Leaving) {
  const values = (of: readonly string[]) => ({ person, list: of.join(", ") });
  return [
    ...(subscriptions.length === 0
      ? []
      : [
          texts.count("news.subscriptions", subscriptions.length, values(subscriptions)),
          texts.say("news.subscriptionsAdvice"),
        ]),
    ...(tenantKeys.length === 0 ? [] : [texts.count("news.tenantKeys", tenantKeys.length, values(tenantKeys))]),
    ...(connections.length === 0 ? [] : [texts.say("news.connections", values(inWords(texts, connections)))]),
  ];
}

type SecurityChange = Extract<TenantNews, { what: "securityChanged" }>;

function describePolicy(texts: Language, { requireSecondFactor, graceDays }: SecurityChange): string {
  if (requireSecondFactor === "off") return texts.say("news.policy.off");
  return texts.say(`news.policy.${requireSecondFactor}`, { when: inDays(texts, graceDays) });
}

function describeSignOn(texts: Language, { require, graceDays }: Extract<TenantNews, { what: "signOnRequired" }>) {
  if (require === "off") return texts.say("news.signOn.off");
  return texts.say(`news.signOn.${require}`, { when: inDays(texts, graceDays) });
}

const inDays = (texts: Language, days: number): string =>
  days === 0 ? texts.say("news.policy.now") : texts.count("news.policy.days", days);

/** News about a tenant, for its owners and for a member whom they concern. */
export function tenantNoticeMail(
  { appUrl, name, texts }: NoticeContext,
  tenantName: string,
  news: TenantNews,
): MailContent {
  const named = news.what === "undone" ? (news.named ?? []) : [];
  return mailTo(texts, name, subjectOf(texts, news), [
    ...describeNews(texts, news, tenantName),
    ...(named.length > 0 ? [texts.say("news.undone.named")] : []),
    ...namedLinks(texts, appUrl, named),
    texts.say("news.why"),
  ]);
}

function subjectOf(texts: Language, news: TenantNews): string {
  if ("domain" in news) return texts.say(`news.${news.what}.subject`, { domain: news.domain });
  if ("connection" in news) return texts.say(`news.${news.what}.subject`, { connection: news.connection });
  return texts.say(`news.${news.what}.subject`);
}

/** What another operator of the service has done. */
export function operatorNoticeMail({ name, texts }: NoticeContext, news: OperatorNews): MailContent {
  const { what, by, id = "", reason } = news;
  return mailTo(texts, name, texts.say(`operatorNews.${what}.subject`), [
    texts.say(`operatorNews.${what}.text`, { by, id }),
    ...(reason ? [texts.say("operatorNews.reason", { reason })] : []),
    texts.say("operatorNews.why"),
  ]);
}
