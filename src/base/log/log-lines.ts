/**
 * The messages of the log: the level of each, what it means, and what an operator does. `log` takes no others, and the
 * operations page shows this table.
 */
import { DELIVERY_LOG_LINES } from "./delivery-log-lines";
import { KEY_LOG_LINES } from "./key-log-lines";
import type { LogLevel, LogLine } from "./log-levels";
import { OAUTH_LOG_LINES } from "./oauth-log-lines";
import { SIGN_ON_LOG_LINES } from "./sign-on-log-lines";

export const LOG_LINES = {
  request: {
    level: ["info", "error"],
    meaning:
      "A request was answered, from status 500 on as an error. Each request writes one line. A publish adds " +
      "`eventId` and `correlationId`.",
  },
  cron: { level: "info", meaning: "A cron trigger ran." },
  "configuration refused": {
    level: "error",
    meaning: "A setting is missing or invalid; `reason` names it. Nothing works.",
    advice: "Correct the setting.",
  },
  "optional settings refused": {
    level: "error",
    meaning: "Optional settings are invalid; `reason` names them. What they set up is off, and everything else works.",
    advice: "Correct the settings and deploy again.",
  },
  "health check failed": {
    level: "error",
    meaning: "`/health?deep=1` answered 503: the database does not answer, or no sweep has run for five minutes.",
    advice: "Look for errors from D1, and whether the cron trigger of every minute runs.",
  },
  "unexpected error": {
    level: "error",
    meaning: "A fault in the service caused a 500. The line has its stack.",
    advice: "Report it.",
  },
  "background work failed": {
    level: "error",
    meaning:
      "Work that continues after a response failed; `what` names it. The sweep queues affected deliveries again.",
    advice: "Nothing, unless it persists.",
  },
  "rate limiter failed": {
    level: "error",
    meaning: "A Durable Object failed. Login, registration and token requests answer 503; other requests continue.",
    advice: "Nothing, unless it persists.",
  },
  "captcha not verified": {
    level: "error",
    meaning: "Turnstile gave no verdict; `cause` says why. Registration and mails that somebody asks for answer 503.",
    advice: "Compare TURNSTILE_SECRET with the widget; otherwise nothing.",
  },
  "legacy login failed": {
    level: "error",
    meaning:
      "The [former service](moving-in.md#ask-your-former-service) did not answer as it should; `reason` says why.",
    advice: "See [The former service does not answer](runbooks/legacy-login.md).",
  },
  "legacy login refused": {
    level: "error",
    meaning:
      "The former service knows the password, but what it says of the person cannot be stored; `reason` says " +
      "why. The sign-in was answered with 503.",
    advice: "Correct the profile that the former service sends.",
  },
  "imported hash not computed": {
    level: "error",
    meaning: "The runtime could not compute an imported hash, most often for want of memory. The sign-in got 401.",
    advice: "Nothing: the person can reset the password.",
  },
  "import row not read": {
    level: "error",
    meaning: "A row of an import met a fault in the service and was refused. The import went on.",
    advice: "Report it.",
  },
  "import given up": {
    level: "error",
    meaning: "An import failed again and again without moving on, and was stopped. What it has done stays.",
    advice: "Report it. Import the people again.",
  },
  "stored filter not read": {
    level: "error",
    meaning: "The filter of a subscription is stored in a form that cannot be read. The subscription gets every event.",
    advice: "Have its owner set the filter again. Report it.",
  },
  "stored schema not read": {
    level: "error",
    meaning:
      "The schema of an event type is stored in a form that cannot be read. Its events are published without " +
      "being checked.",
    advice: "Have its owner add a version. Report it.",
  },
  "database unavailable": {
    level: "error",
    meaning: "D1 failed for a moment; the request was answered with 503.",
    advice: "Check D1.",
  },
  "dead letter": {
    level: "error",
    meaning: "The queue gave up a message.",
    advice: "See [Dead letters](runbooks/dead-letters.md).",
  },
  "delivery database not read": {
    level: "error",
    meaning:
      "An operator, `/metrics` or the cron for [alarms](#alarms) looked at a delivery database, and it did not answer.",
    advice: "Check D1.",
  },
  "sends not held or released": {
    level: "error",
    meaning: "A delivery database did not answer when an operator held or released all sends. The operator was told.",
    advice: "Repeat it.",
  },
  "dead letters not counted": {
    level: "error",
    meaning: "D1 failed. Each dead letter still has its own line.",
    advice: "Check D1.",
  },
  "message of unknown shape dropped": {
    level: "error",
    meaning: "A queue contained a message that this version does not know.",
    advice: "Find out what else writes to the queue.",
  },
  "lock not lifted": {
    level: "warn",
    meaning: "A password was reset, but the lock of the address could not be reached. It ends by itself.",
    advice: "Look at the Durable Objects if it lasts.",
  },
  "sign-in with a provider failed": {
    level: "warn",
    meaning:
      "A provider was down or its answer was not valid; `reason` names what was wrong, such as `invalid_client`.",
    advice: "Look at the provider and at the settings for it.",
  },
  "guess not settled": {
    level: "warn",
    meaning: "A password or code was checked, but the lock was not told the result. It stays counted as wrong.",
    advice: "Look at the Durable Objects if it lasts.",
  },
  "mail not sent": {
    level: "warn",
    meaning:
      "The email provider could not take the mail. It is tried 13 more times over 26 hours, at growing intervals.",
    advice: "See `cause` and `reason`.",
  },
  "mail refused": {
    level: "error",
    meaning: "The email provider will never accept this mail, so it is not tried again.",
    advice: "See `reason`.",
  },
  "mail over the limit of its address": {
    level: "warn",
    meaning: "The address has had as many mails as its [limit](limits.md) allows. The mail was not sent.",
    advice: "Nothing, unless it persists: someone may be abusing an account.",
  },
  "mail not queued": {
    level: "error",
    meaning: "The queue was down. A request for a mail got 503; a notice about a change is lost.",
    advice: "The user can request another verification email.",
  },
  "cron job failed": {
    level: "error",
    meaning: "A job failed. It runs again at the next trigger.",
    advice: "Nothing, unless it persists.",
  },
  "alarm began": {
    level: "error",
    meaning: "Something is wrong with the service; `finding` says what.",
    advice: "See [Alarms](#alarms).",
  },
  "alarm ended": { level: "info", meaning: "It is over." },
  "alarm not sent": {
    level: "error",
    meaning: "A queue was down. The next try is a minute later.",
    advice: "Nothing, unless it persists.",
  },
  "failing mails not noted": {
    level: "error",
    meaning: "D1 failed after mails were sent or refused. The alarm about failing mail may come late or last too long.",
    advice: "Check D1.",
  },
  "file not read": {
    level: "error",
    meaning: "`file`, beside the Worker, could not be read. A page was in English, or a common password was accepted.",
    advice: "Nothing, unless it persists; then deploy again.",
  },
  "expired rows removed": {
    level: "info",
    meaning:
      "Sessions, tokens and invitations (30 days old), API keys (as old as the audit log) and devices (90 days) " +
      "were removed.",
  },
  "unverified accounts removed": {
    level: "info",
    meaning:
      "Accounts were removed whose address was never verified, which have no API key, and which nobody has used " +
      "for 30 days.",
  },
  "account deleted": {
    level: "info",
    meaning: "A user deleted their account, and `count` tenants with it. The [purge](#deletions) removes what is left.",
  },
  "tenant deleted": { level: "info", meaning: "An owner deleted a tenant." },
  "purge finished": { level: "info", meaning: "Nothing is left of a deleted account or tenant." },
  "purge failed": {
    level: "error",
    meaning: "D1 or the mail queue failed in a step of a deletion. It continues five minutes later.",
    advice: "Check D1.",
  },
  "former database not told": {
    level: "error",
    meaning:
      "A subscription of a moved tenant was changed while the former database of the tenant did not answer. Its open " +
      "deliveries there follow the change within a minute.",
    advice: "Check D1.",
  },
  "tenant move given up": {
    level: "error",
    meaning: "Twice, the rest of a moving tenant was not copied within a second. It stays where it is.",
    advice: "Move it again when its databases are less busy.",
  },
  "tenant move held up": {
    level: "error",
    meaning: "A step of moving a tenant has failed. It is repeated within a minute.",
    advice: 'Check D1, and "Move a tenant to another database" on this page.',
  },
  "domain lost": {
    level: "warn",
    meaning:
      "Both resolvers have not seen the record of a [domain](sign-on.md#domains) on three days in turn. The owners " +
      "of the tenant are mailed.",
    advice: "Nothing, unless many tenants lose theirs on one day: then ask both of DNS_RESOLVERS yourself.",
  },
  "tenant export failed": {
    level: "error",
    meaning: "D1 failed while the export of a tenant was streamed. The file breaks off and is no valid JSON.",
    advice: "Check D1. The owner can export again.",
  },
  "old audit events removed": {
    level: "info",
    meaning: "Events older than `AUDIT_RETENTION_DAYS` were removed from the audit log.",
  },
  "audit events beyond the cap removed": {
    level: "warn",
    meaning: "A tenant had more events in the audit log than `AUDIT_MAX_ROWS`; the oldest were removed.",
    advice: "Find out what makes so many changes.",
  },
  "platform event types not copied": {
    level: "error",
    meaning: "A delivery database lacks a change of the platform's event types.",
    advice: "Nothing: the upkeep copies them every minute. Check the database if it goes on.",
  },
  "event types export failed": {
    level: "error",
    meaning: "D1 failed while event types were exported; the file is not complete.",
    advice: "Check D1.",
  },
  "audit export failed": {
    level: "error",
    meaning: "D1 failed while the audit log was exported; the file is not complete.",
    advice: "Check D1.",
  },
  "passkey refused": {
    level: "info",
    meaning: "A passkey was not accepted; `reason` says why, such as an origin that is not allowed.",
    advice: "Many with one origin: check `APP_URL` and `PASSKEY_ORIGINS`.",
  },
  "login to an unknown account": {
    level: "info",
    meaning: "Somebody tried to sign in with an address that nobody has.",
  },
  "delivery database is filling up": {
    level: "warn",
    meaning: "A delivery database is 70 % full.",
    advice: "[Add one](#delivery-databases).",
  },
  "delivery database closed to new tenants": {
    level: "error",
    meaning: "A delivery database is 85 % full and gets no new tenants.",
    advice: "[Add one](#delivery-databases).",
  },
  "size of a delivery database not noted": {
    level: "error",
    meaning: "A delivery database did not answer.",
    advice: "Check D1.",
  },
  ...DELIVERY_LOG_LINES,
  ...KEY_LOG_LINES,
  ...OAUTH_LOG_LINES,
  ...SIGN_ON_LOG_LINES,
} as const satisfies Record<string, LogLine>;

export type LogMessage = keyof typeof LOG_LINES;

type OneOf<Level> = Level extends readonly (infer One)[] ? One : Level;

/** The levels that a message has. */
export type LevelOf<M extends LogMessage> = Extract<OneOf<(typeof LOG_LINES)[M]["level"]>, LogLevel>;
