/** Subscription notices, the mails about failing subscriptions: what has changed, what to do, and by when. */
import type { MailJob, NoticeItem } from "../base/mail/job";
import type { Language } from "../base/texts/texts";
import { errorText } from "../webhooks/log/outcome";
import type { NoticeContext } from "./notices";
import { type MailContent, mailTo } from "./render";

type NoticeJob = Extract<MailJob, { kind: "subscriptionAlert" }>;

/** Returns the mail. What is new comes first; the rest is named in one list. */
export function subscriptionNoticeMail(
  { appUrl, name, texts }: NoticeContext,
  { items, more, tenantName }: NoticeJob,
): MailContent {
  const news = items.filter(({ isNew }) => isNew);
  const known = items.filter(({ isNew }) => !isNew);
  const which = ({ name, host }: NoticeItem) => texts.say("notice.which", { name, host });
  const open = ({ name, webhookId }: NoticeItem) => ({
    label: texts.say("notice.open", { name }),
    url: `${appUrl}/webhooks/${webhookId}`,
  });
  return mailTo(texts, name, subjectOf(texts, news), [
    ...news.flatMap((item) => [describe(texts, item), open(item)]),
    ...(known.length === 0 ? [] : [texts.say("notice.known", { list: known.map(which).join("; ") })]),
    ...(more === 0 ? [] : [texts.count("notice.more", more)]),
    texts.say("notice.why", { tenant: tenantName }),
    { label: texts.say("notice.off"), url: `${appUrl}/alerts` },
  ]);
}

function subjectOf(texts: Language, news: readonly NoticeItem[]): string {
  const [first] = news;
  if (first && news.length === 1) return subjectOfOne(texts, first);
  const disabled = news.filter(({ state }) => state === "disabled" || state === "gone").length;
  if (disabled > 0) return texts.count("notice.subject.allDisabled", disabled);
  const failing = news.filter(({ state }) => state !== "recovered").length;
  if (failing > 0) return texts.count("notice.subject.allFailing", failing);
  return texts.say("notice.subject.allRecovered", { count: String(news.length) });
}

function subjectOfOne(texts: Language, { state, name, disablesAt }: NoticeItem): string {
  if (state === "recovered") return texts.say("notice.subject.recovered", { name });
  if (state === "disabled" || state === "gone") return texts.say("notice.subject.disabled", { name });
  return state === "atRisk" && disablesAt !== null
    ? texts.say("notice.subject.atRisk", { name, time: texts.moment(disablesAt) })
    : texts.say("notice.subject.failing", { name });
}

/** What has happened to it, and what helps. */
function describe(texts: Language, item: NoticeItem): string {
  const { name, host, disablesAt } = item;
  const which = texts.say("notice.which", { name, host });
  const values = { which, since: sinceOf(texts, item), attempts: attemptsOf(texts, item) };
  const fix = texts.say("notice.fix", { host });
  const time = disablesAt === null ? null : texts.moment(disablesAt);
  const sentences = {
    failing: () => [
      texts.say("notice.failing", values),
      texts.say("notice.failed", values),
      fix,
      ...(time === null ? [] : [texts.say("notice.deadline", { time })]),
    ],
    atRisk: () => [
      time === null ? texts.say("notice.atRiskSoon", values) : texts.say("notice.atRisk", { which, time }),
      texts.say("notice.failed", values),
      fix,
    ],
    disabled: () => [texts.say("notice.disabled", values), fix, texts.say("notice.enable")],
    gone: () => [texts.say("notice.gone", values)],
    recovered: () => [texts.say("notice.recovered", values)],
  };
  return sentences[item.state]().join(" ");
}

const sinceOf = (texts: Language, { since }: NoticeItem): string =>
  since === null ? texts.say("notice.forAWhile") : texts.say("notice.since", { time: texts.moment(since) });

function attemptsOf(texts: Language, { failures, error }: NoticeItem): string {
  const attempts = texts.count("notice.attempts", failures);
  return error === null ? attempts : texts.say("notice.lastError", { attempts, error: errorText(texts, error) });
}
