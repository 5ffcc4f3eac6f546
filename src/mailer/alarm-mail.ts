/** The mail to the people who run the service: what is wrong with it, since when, and what to do. */

import type { Config } from "../base/config/config";
import type { MailJob } from "../base/mail/job";
import { CONSOLE_PATH } from "../base/paths";
import { textsIn } from "../base/texts/texts";
import { describeFinding } from "../service/alarms/findings";
import { type Link, type MailContent, mailTo } from "./render";

/** The console and the documentation, to which it leads, are in English. */
const ENGLISH = textsIn("en");
const utc = ENGLISH.moment;

/** Returns the mail about the beginning of an alarm, or about its end. */
export function alarmMail(
  config: Config,
  { finding, since, endedAt }: Extract<MailJob, { kind: "alarm" }>,
): MailContent {
  const { title, what, advice, runbook } = describeFinding(finding);
  if (endedAt !== null) {
    return mailTo(ENGLISH, null, `Over: ${title}`, [
      `This is over: ${what}`,
      `It began on ${utc(since)} and was over on ${utc(endedAt)}.`,
    ]);
  }
  return mailTo(ENGLISH, null, `Alarm: ${title}`, [
    what,
    `Since ${utc(since)}.`,
    advice,
    linkToRunbook(config, runbook) ?? `For more, see the page /docs/${runbook} of the service.`,
    "You will get another email when it is over.",
  ]);
}

function linkToRunbook({ publicUrl, appUrl }: Config, runbook: string): Link | null {
  const { origin, pathname } = new URL(appUrl);
  const base = publicUrl ?? (pathname === CONSOLE_PATH ? origin : null);
  return base === null ? null : { label: "What to do", url: `${base}/docs/${runbook}` };
}
