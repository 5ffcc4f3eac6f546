/** The mail to the people who run the service: what is wrong with it, since when, and what to do. */

import type { Config } from "../base/config/config";
import type { MailJob } from "../base/mail/job";
import { CONSOLE_PATH } from "../base/paths";
import type { Language } from "../base/texts/texts";
import { describeFinding } from "../service/alarms/findings";
import { type Link, type MailContent, mailTo } from "./render";

/** Returns the mail about the beginning of an alarm, or about its end. */
export function alarmMail(
  config: Config,
  texts: Language,
  { finding, since, endedAt }: Extract<MailJob, { kind: "alarm" }>,
): MailContent {
  const { title, what, advice, runbook } = describeFinding(finding, texts);
  const time = texts.moment(since);
  if (endedAt !== null) {
    return mailTo(texts, null, texts.say("alarm.ended", { title }), [
      texts.say("alarm.isOver", { what }),
      texts.say("alarm.lasted", { since: time, ended: texts.moment(endedAt) }),
    ]);
  }
  return mailTo(texts, null, texts.say("alarm.began", { title }), [
    what,
    texts.say("alarm.since", { time }),
    advice,
    linkToRunbook(config, texts, runbook) ?? texts.say("alarm.page", { page: `/docs/${runbook}` }),
    texts.say("alarm.another"),
  ]);
}

function linkToRunbook({ publicUrl, appUrl }: Config, texts: Language, runbook: string): Link | null {
  const { origin, pathname } = new URL(appUrl);
  const base = publicUrl ?? (pathname === CONSOLE_PATH ? origin : null);
  return base === null ? null : { label: texts.say("alarm.toDo"), url: `${base}/docs/${runbook}` };
}
