/** From a page's content to an answer: layout, status, and what a refused write becomes. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../errors";
import type { AppEnv } from "../../http/env";
import { toAppError } from "../../http/errors";
import { type Failure, failureOf } from "../failure";
import { type Chapter, Layout } from "../layout";
import { Banner } from "../parts";
import { SAYINGS, type Saying } from "../sayings";
import { dropCookie, putCookie, takeCookie } from "./cookies";
import { CONSOLE_PATH } from "./paths";

interface PageOptions {
  title: string;
  /** The part of the console that it belongs to; null for a page before the door. */
  chapter: Chapter | null;
  status?: number;
}

/** Answers with a page of the console. */
export async function page(c: Context<AppEnv>, { title, chapter, status = 200 }: PageOptions, content: Child) {
  const layout = (
    <Layout
      title={title}
      chapter={chapter}
      nonce={c.get("secureHeadersNonce")}
      visitor={c.get("visitor")}
      said={said(c)}
    >
      {content}
    </Layout>
  );
  return c.html(`<!doctype html>${await layout.toString()}`, status as ContentfulStatusCode);
}

/** Answers with a part of a page, for the script that keeps it fresh. */
export async function fragment(c: Context<AppEnv>, content: Child) {
  const part = <>{content}</>;
  return c.html(await part.toString());
}

/** Goes on to `path` of the console ("" is the overview), where the next page says what was done. */
export function done(c: Context<AppEnv>, path: string, saying?: Saying): Response {
  if (saying) putCookie(c, "said", saying);
  return c.redirect(path.startsWith(CONSOLE_PATH) ? path : CONSOLE_PATH + path, 303);
}

function said(c: Context<AppEnv>): string | undefined {
  const saying = takeCookie(c, "said");
  if (saying === undefined) return undefined;
  dropCookie(c, "said");
  return Object.hasOwn(SAYINGS, saying) ? SAYINGS[saying as Saying] : undefined;
}

/** Does `work`; what the API would refuse becomes the page that `again` makes of it, with the refusal's status and headers. */
export async function orAgain(
  c: Context<AppEnv>,
  work: () => Promise<Response>,
  again: (failure: Failure, status: number, error: AppError) => Promise<Response> | Response,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 500) throw error;
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return again(failureOf(error), error.status, error);
  }
}

/** The page for an error that no form can show. */
export function errorPage(c: Context<AppEnv>, raised: unknown): Promise<Response> {
  const error = toAppError(c, raised);
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const title = ERROR_TITLES[error.status] ?? "Something went wrong";
  return page(
    c,
    { title, chapter: null, status: error.status },
    <>
      <h1>{title}</h1>
      <Banner kind="bad">{failureOf(error).message}</Banner>
      <p>
        <a href={CONSOLE_PATH}>Back to the overview</a>
      </p>
      <p class="muted">Request {c.get("requestId")}</p>
    </>,
  );
}

const ERROR_TITLES: Record<number, string> = { 403: "Not allowed", 404: "Not found", 429: "Too many requests" };
