/** Subscription notices, the mails about failing subscriptions: what has changed, what to do, and by when. */
import type { MailJob, NoticeItem } from "../base/mail/job";
import type { NoticeContext } from "./notices";
import { type Link, type MailContent, mailTo } from "./render";
import { utc } from "./token-mails";

type NoticeJob = Extract<MailJob, { kind: "subscriptionAlert" }>;

/** Returns the mail. What is new comes first; the rest is named in one list. */
export function subscriptionNoticeMail(
  { appUrl, name }: NoticeContext,
  { items, more, tenantName }: NoticeJob,
): MailContent {
  const news = items.filter(({ isNew }) => isNew);
  const known = items.filter(({ isNew }) => !isNew);
  return mailTo(name, subjectOf(news), [
    ...news.flatMap((item) => [describe(item), openLink(appUrl, item)]),
    ...(known.length === 0 ? [] : [`Still failing or disabled: ${known.map(nameOf).join("; ")}.`]),
    ...(more === 0
      ? []
      : [
          `${more} more ${more === 1 ? "subscription needs" : "subscriptions need"} attention. The console ` +
            "lists them.",
        ]),
    `You receive this because you manage ${tenantName}.`,
    { label: "Turn these mails off", url: `${appUrl}/alerts` },
  ]);
}

const openLink = (appUrl: string, { name, webhookId }: NoticeItem): Link => ({
  label: `Open "${name}"`,
  url: `${appUrl}/webhooks/${webhookId}`,
});

const nameOf = ({ name, host }: NoticeItem) => `"${name}" (${host})`;

const SUBJECTS: Record<NoticeItem["state"], (item: NoticeItem) => string> = {
  failing: ({ name }) => `"${name}" is failing`,
  atRisk: ({ name, disablesAt }) =>
    disablesAt === null ? `"${name}" is failing` : `"${name}" will be disabled on ${utc(disablesAt)}`,
  disabled: ({ name }) => `"${name}" was disabled`,
  gone: ({ name }) => `"${name}" was disabled`,
  recovered: ({ name }) => `"${name}" works again`,
};

function subjectOf(news: readonly NoticeItem[]): string {
  const [first] = news;
  if (first && news.length === 1) return SUBJECTS[first.state](first);
  const disabled = news.filter(({ state }) => state === "disabled" || state === "gone").length;
  if (disabled > 0) return `${disabled} of your webhook subscriptions ${disabled === 1 ? "was" : "were"} disabled`;
  const failing = news.filter(({ state }) => state !== "recovered").length;
  if (failing > 0) return `${failing} of your webhook subscriptions ${failing === 1 ? "is" : "are"} failing`;
  return `${news.length} of your webhook subscriptions work again`;
}

function describe(item: NoticeItem): string {
  const { host, disablesAt } = item;
  const who = nameOf(item);
  const failed = `Its deliveries have failed ${since(item)}: ${counted(item.failures)}${lastError(item)}.`;
  const fix = `Check that ${host} is reachable and answers with a 2xx status within 10 seconds, or change the URL.`;
  switch (item.state) {
    case "failing":
      return (
        `${who} is failing. ${failed} ` +
        `${fix}${disablesAt === null ? "" : ` If no delivery succeeds before ${utc(disablesAt)}, we will disable it.`}`
      );
    case "atRisk":
      return (
        `${who} will be disabled${disablesAt === null ? "" : ` on ${utc(disablesAt)}`}, unless a delivery succeeds ` +
        `before then. ${failed} ${fix}`
      );
    case "disabled":
      return (
        `${who} was disabled because no delivery has succeeded ${since(item)}: ` +
        `${counted(item.failures)}${lastError(item)}. No new events are sent to it until you enable it. ${fix} ` +
        "Then send a test and enable the subscription."
      );
    case "gone":
      return (
        `${who} was disabled because its URL answered 410 (Gone) twice. No new events are sent to it until you ` +
        "enable it. If the URL is wrong, change it first. If nobody needs the subscription, delete it."
      );
    case "recovered":
      return (
        `${who} works again: a delivery has succeeded. To send what failed or was missed, open the subscription ` +
        `and choose "Replay…".`
      );
  }
}

const since = ({ since: sinceMs }: NoticeItem) => (sinceMs === null ? "for a while" : `since ${utc(sinceMs)}`);
const counted = (failures: number) => `${failures} failed ${failures === 1 ? "attempt" : "attempts"}`;
const lastError = ({ error }: NoticeItem) => (error === null ? "" : `, the last one with "${error}"`);
