/**
 * How the console answers: a page, a part of one, a redirect with a flash message, or the form again with its error.
 */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { toAppError } from "../../base/http/errors";
import { pathParam } from "../../base/http/operation";
import { isOperator } from "../../base/operator";
import { CONSOLE_PATH } from "../../base/paths";
import type { CurrentUser, Principal } from "../../base/schemas/principal";
import type { TextKey } from "../../base/texts/en";
import { isTextKey } from "../../base/texts/texts";
import { Banner } from "../components/display";
import { type Mount, Mounted, Say } from "../components/mount";
import { ShownFailure } from "../components/shown-failure";
import { WayToSignOn } from "../components/way-to-sign-on";
import { type Failure, failureOf, inWordsOf } from "../failure";
import { FLASH_MESSAGES, type FlashKey } from "../flash-messages";
import { Layout, type NavSection } from "../frame/layout";
import { PortalLayout, portalPages, setupPages } from "../frame/portal-layout";
import { worded } from "../wording";
import { deleteConsoleCookie, getConsoleCookie, setConsoleCookie } from "./cookies";
import { hrefOf, isForApps, isForGuests, mountOf, pathHere, portalOf } from "./mount";

export interface PageOptions {
  title: Child;
  /** The navigation entry to highlight; missing for a page outside the navigation. */
  section?: NavSection;
  /** The form's error that the page shows, if any. */
  refused?: (Pick<Refused, "failure" | "status"> & Partial<Pick<Refused, "error">>) | undefined;
  /** The status of a page without an error, 200 if missing. */
  status?: number;
}

/** Answers with a page of the console. */
export async function page(c: Context<AppEnv>, options: PageOptions, content: Child) {
  const { title, section = null, refused, status = 200 } = options;
  const { config } = c.get("deps");
  // On the pages for apps there is no menu: whoever signs in there need not know the console.
  const currentUser: CurrentUser | undefined = isForApps(c) ? undefined : c.get("currentUser");
  const mount = await mountOf(c);
  const app = await c.get("appOfPage")?.();
  const common = {
    title,
    section,
    nonce: c.get("secureHeadersNonce"),
    brand: config.brand,
    flash: takeFlash(c, mount),
  };
  const shown = (
    <Mounted.Provider value={mount}>
      <ShownFailure.Provider value={refused && inWordsOf(mount, refused)}>{content}</ShownFailure.Provider>
    </Mounted.Provider>
  );
  const layout = isForGuests(c) ? (
    <PortalLayout {...common} portal={portalOf(c)} pages={pagesForGuests(c, section)}>
      {shown}
    </PortalLayout>
  ) : (
    <Layout
      {...common}
      app={app}
      currentUser={currentUser}
      isOperator={currentUser !== undefined && isOperator(config, currentUser.principal)}
    >
      {shown}
    </Layout>
  );
  // The menu of the console leads to the console, wherever the page is mounted.
  const frame = isForGuests(c) || isForApps(c) ? mount : { ...mount, base: CONSOLE_PATH };
  const html = await (<Mounted.Provider value={frame}>{layout}</Mounted.Provider>).toString();
  return c.html(`<!doctype html>${html}`, (refused?.status ?? status) as ContentfulStatusCode);
}

function pagesForGuests(c: Context<AppEnv>, section: NavSection | null) {
  const principal: Principal | undefined = c.get("principal");
  return principal?.kind === "setup" ? setupPages(principal.setup.may, pathHere(c)) : portalPages(section);
}

/** Answers with a part of a page, for the script that keeps it fresh. */
export async function fragment(c: Context<AppEnv>, content: Child) {
  const part = <Mounted.Provider value={await mountOf(c)}>{content}</Mounted.Provider>;
  return c.html(await part.toString());
}

/** The headers of a JSON file to download. `name` has no ending. */
export const jsonFile = (name: string) => ({
  "Content-Type": "application/json",
  "Content-Disposition": `attachment; filename="${name}.json"`,
});

/** Redirects to a page by its path below the mount; "" is the first page. */
export const redirectTo = (c: Context<AppEnv>, path: string): Response => c.redirect(hrefOf(c, path), 303);

/** Redirects, and shows the flash message on the next page. */
export function redirectWithFlash(c: Context<AppEnv>, path: string, flash: FlashKey): Response {
  showNext(c, flash);
  return redirectTo(c, path);
}

/** Shows the flash message on the next page. */
export const showNext = (c: Context<AppEnv>, flash: FlashKey): void => setConsoleCookie(c, "flash", flash);

/** Reads the flash message and deletes its cookie, so that it is shown once. */
function takeFlash(c: Context<AppEnv>, { term, texts }: Mount): string | undefined {
  const key = getConsoleCookie(c, "flash");
  if (key === undefined) return undefined;
  deleteConsoleCookie(c, "flash");
  const name = `flash.${key}`;
  if (isTextKey(name)) return texts.say(name);
  return isPlainFlash(key) ? worded(FLASH_MESSAGES[key], term) : undefined;
}

const isPlainFlash = (key: string): key is keyof typeof FLASH_MESSAGES => Object.hasOwn(FLASH_MESSAGES, key);

/**
 * The handler that redirects after a form has done its work, and shows the flash message on the next page. The path
 * may name parameters of the form's own: "/feeds/:id".
 */
export const flash = (path: string, key: FlashKey) => (c: Context<AppEnv>) =>
  redirectWithFlash(
    c,
    path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathParam(c, name))),
    key,
  );

/** An error as the page shows it that repeats the form. */
export interface Refused {
  failure: Failure;
  status: number;
  error: AppError;
}

/** The error in words that fit the page better. */
export const inOtherWords = (refused: Refused, words: Partial<Failure>): Refused => ({
  ...refused,
  failure: { ...refused.failure, ...words },
});

/**
 * Runs `work`. An expected error (any but a 500) becomes the page that `rerender` returns, with the error's headers.
 */
export async function rerenderOnError(
  c: Context<AppEnv>,
  work: () => Promise<Response>,
  rerender: (refused: Refused) => Promise<Response> | Response,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status === 500) throw error;
    for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
    return rerender({ failure: failureOf(error), status: error.status, error });
  }
}

/** The page for an error that no form can show. */
export async function errorPage(c: Context<AppEnv>, raised: unknown): Promise<Response> {
  const error = toAppError(c, raised);
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const title = <Say of={ERROR_TITLES[error.status] ?? "page.error"} />;
  const { message, fields } = inWordsOf(await mountOf(c), { failure: failureOf(error), error });
  return page(
    c,
    { title, status: error.status },
    <>
      <h1>{title}</h1>
      <Banner kind="bad">{message}</Banner>
      <WayToSignOn address={fields["signOn"]} />
      {isForGuests(c) || isForApps(c) ? null : (
        <p>
          <a href={CONSOLE_PATH}>Back to the overview</a>
        </p>
      )}
      <p class="muted">
        <Say of="page.request" values={{ id: c.get("requestId") }} />
      </p>
    </>,
  );
}

const ERROR_TITLES: Record<number, TextKey> = {
  401: "page.noAccess",
  403: "page.notAllowed",
  404: "page.notFound",
  429: "page.tooMany",
};
