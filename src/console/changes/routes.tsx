/** The confirmation page of each change that an operator can make, and its form. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { requires } from "../../base/http/operation";
import { confirmedOnly } from "../http/confirmed";
import type { Form } from "../http/form";
import { pathHere } from "../http/mount";
import { page, type Refused, redirectWithFlash } from "../http/page";
import { Pages } from "../http/pages";
import type { OperatorChange } from "./changes";
import { ConfirmChange } from "./confirm-page";

/** What a group of changes concerns. */
export interface ChangeSubject {
  /** Its name, and how much the change affects: "3 members". */
  read(c: Context<AppEnv>): Promise<{ name: string; counts: string[] }>;
  /** The page that the change leads back to. */
  back(c: Context<AppEnv>): string;
  /** Of the navigation; missing: that of operators. */
  section?: "operator" | "security";
}

async function confirmPage(
  c: Context<AppEnv>,
  change: OperatorChange,
  subject: ChangeSubject,
  reason: string,
  refused?: Refused,
) {
  const shown = { ...(await subject.read(c)), back: subject.back(c) };
  const view = { ...shown, change, action: pathHere(c), reason, shards: c.get("deps").shards.numbers };
  const options = { title: change.button, section: subject.section ?? "operator", refused };
  return page(c, options, <ConfirmChange {...view} />);
}

/** Whether the box of the change is ticked, by its field. */
const tickedIn = (sent: Form, { asksWhether }: OperatorChange) =>
  asksWhether === undefined ? {} : { [asksWhether[0]]: sent.text(asksWhether[0]) === "true" };

/** The page again with what was typed, for after the session is confirmed. */
const withReason = (path: string, reason: string) =>
  reason === "" ? path : `${path}?${new URLSearchParams({ reason })}`;

/** The pages of `changes`. Whoever signed in a while ago confirms the session first. */
export function changePages(changes: readonly OperatorChange[], subject: ChangeSubject) {
  const pages = new Pages();
  for (const change of changes) {
    pages.get(change.path, requires(change.operation), confirmedOnly, (c) =>
      confirmPage(c, change, subject, c.req.query("reason") ?? ""),
    );
    pages.form(change.path, change.operation, {
      values: (sent) => ({
        reason: sent.text("reason"),
        ...tickedIn(sent, change),
        ...(change.asksForShard ? { shard: Number(sent.text("shard") || "none") } : {}),
      }),
      input: ({ reason, ...others }) => (change.asksForReason ? { reason, ...others } : others),
      done: (c) => redirectWithFlash(c, subject.back(c), change.done),
      again: (c, refused, { reason }) => confirmPage(c, change, subject, reason, refused),
      confirmedAt: ({ reason }, c) => withReason(pathHere(c), reason),
    });
  }
  return pages.router;
}
