/** The forms of the console: their fields as text, and the confirmation that they may need. */
import type { Context } from "hono";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import type { Texts } from "../../base/option";
import { CONSOLE_PATH } from "../../base/paths";
import { hrefOf, isForApps } from "./mount";

/** The fields of a submitted form; the API's schemas validate them. */
export interface Form {
  /** The field's value, empty when it is missing. */
  text(name: string): string;
  /** The values of several fields, by their names. */
  texts<Name extends string>(...names: readonly Name[]): Record<Name, string>;
  /** The field's value, undefined when it is missing or empty: for optional fields. */
  optional(name: string): string | undefined;
  /** The values of the fields that the form has, of these. */
  given(names: readonly string[]): Texts;
  /** All values of a field that may be repeated. */
  list(name: string): string[];
}

export async function readForm(c: Context<AppEnv>): Promise<Form> {
  const fields = await c.req.parseBody({ all: true });
  const list = (name: string) => [fields[name] ?? []].flat().filter((value) => typeof value === "string");
  const text = (name: string) => list(name)[0] ?? "";
  return {
    text,
    texts: (...names) => textsOf(names, text),
    optional: (name) => text(name) || undefined,
    given: (names) =>
      textsOf(
        names.filter((name) => list(name).length > 0),
        text,
      ),
    list,
  };
}

/** An object of texts, each read by its name. */
export const textsOf = <Name extends string>(names: readonly Name[], read: (name: Name) => string) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, string>;

/** Runs `work`. If the session must be confirmed first, redirects to that page, which leads to the page `to`. */
export async function orConfirm(
  c: Context<AppEnv>,
  to: string | undefined,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (to === undefined || !(error instanceof AppError) || error.code !== "STEP_UP_REQUIRED") throw error;
    return confirmFirst(c, hrefOf(c, to));
  }
}

/** Redirects to the page that confirms the session and then leads to the address `href`. */
export function confirmFirst(c: Context<AppEnv>, href: string): Response {
  const confirmation = (to: string) => `/security/confirm?to=${encodeURIComponent(to)}`;
  if (!isForApps(c)) return c.redirect(CONSOLE_PATH + confirmation(href), 303);
  // What an app has asked for is passed on beside it, because the way back is short.
  return c.redirect(hrefOf(c, confirmation(href.replace(/[?&]r=[\w.-]*/, ""))), 303);
}
