/** `/oauth/logout`, to which apps send people to sign out, and the page that asks them. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { Deps } from "../../../base/deps";
import { AppError } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { isForm } from "../../../base/media-type";
import { type Operation, operation } from "../../../base/operation";
import { OAUTH_PATH } from "../../../base/paths";
import type { SessionPrincipal } from "../../../base/schemas/principal";
import { deleteSessionOfUser } from "../../../identity/sessions/store";
import { tellAppsSoon } from "../../../oauth/apps/tell";
import { openRequest, sealRequest } from "../../../oauth/authorization/authorize";
import { judgeSignOut, type SignOut } from "../../../oauth/authorization/sign-out";
import { isOnDevice } from "../../../oauth/clients/redirect-urls";
import { withoutEmpty } from "../../../oauth/parameters";
import { LinkButton, PostForm, SubmitButton } from "../../components/buttons";
import { Say } from "../../components/mount";
import { NarrowPage } from "../../components/narrow-page";
import { noteApp } from "../../http/app-of-page";
import { deleteConsoleCookie } from "../../http/cookies";
import { page } from "../../http/page";
import { Pages } from "../../http/pages";
import { findCurrentUser, noteUser } from "../../http/session";

const LIMITED = { callers: "anybody", limit: { rule: "authorize", per: "IP address" }, bodyKiB: 16 } as const;

async function signOut(c: Context<AppEnv>, params: URLSearchParams): Promise<Response> {
  const deps = c.get("deps");
  const user = await findCurrentUser(c);
  const asked = await judgeSignOut(deps, params, user?.principal ?? null);
  if (asked.client) noteApp(c, asked.client);
  if (!asked.isAtOnce) return askPage(c, asked, await sealRequest(deps, { params, at: deps.now() }));
  if (user) await endSession(deps, user.principal);
  deleteConsoleCookie(c, "session");
  const { returnTo } = asked;
  return returnTo === null || isOnDevice(returnTo) ? donePage(c, asked) : c.redirect(returnTo, 303);
}

async function endSession(deps: Deps, session: SessionPrincipal): Promise<void> {
  await deleteSessionOfUser(deps, session, session.sessionId, "auth.logout");
  tellAppsSoon(deps);
}

const askPage = (c: Context<AppEnv>, { client, isRefused }: SignOut, sealed: string) =>
  page(
    c,
    { title: <Say of="onward.signOut" />, status: isRefused ? 400 : 200 },
    <NarrowPage title={<Say of="signOut.title" />}>
      <PostForm action="/sign-out" class="card">
        {isRefused ? (
          <p>
            <Say of="signOut.refused" />
          </p>
        ) : null}
        <p>
          <Say of={client ? "signOut.asks" : "signOut.someAppAsks"} values={{ app: client?.name }} />
        </p>
        <input type="hidden" name="r" value={sealed} />
        <div class="row">
          <SubmitButton>
            <Say of="onward.signOut" />
          </SubmitButton>
        </div>
      </PostForm>
    </NarrowPage>,
  );

const donePage = (c: Context<AppEnv>, { client, returnTo }: SignOut) =>
  page(
    c,
    { title: <Say of="signOut.done" /> },
    <NarrowPage title={<Say of="signOut.done" />}>
      <div class="card">
        <p>
          <Say of="signOut.close" />
        </p>
        {client && returnTo !== null ? (
          <div class="row">
            <LinkButton href={returnTo}>
              <Say of="signOut.back" values={{ app: client.name }} />
            </LinkButton>
          </div>
        ) : null}
      </div>
    </NarrowPage>,
  );

/** Under `/oauth`. */
export const logoutRoutes = new Hono<AppEnv>()
  .get("/logout", requires(LIMITED), async (c) => {
    const params = withoutEmpty(new URL(c.req.url).searchParams);
    const sealed = params.get("r");
    return signOut(c, sealed === null ? params : (await openRequest(c.get("deps"), sealed)).params);
  })
  // The cookie of the session does not come with a form of another site; it comes with the redirect.
  .post("/logout", requires(LIMITED), async (c) => {
    if (!isForm(c.req.header("content-type"))) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
    const deps = c.get("deps");
    const params = withoutEmpty(new URLSearchParams(await c.req.text()));
    await judgeSignOut(deps, params, null);
    return c.redirect(`${OAUTH_PATH}/logout?r=${await sealRequest(deps, { params, at: deps.now() })}`, 303);
  });

/** Whoever has agreed is signed out, if they still are signed in. */
const agreeing: Operation<{ r: string }, SignOut> = operation({
  ...LIMITED,
  schema: z.object({ r: z.string().max(20_000) }),
  verb: async ({ deps, holder, input }) => {
    const session = holder?.kind === "session" ? holder : null;
    // Somebody whom no app has sent signs out on a page of ours.
    const { params } = input.r === "" ? { params: new URLSearchParams() } : await openRequest(deps, input.r);
    const asked = await judgeSignOut(deps, params, session);
    if (session) await endSession(deps, session);
    return asked;
  },
});

/** Under `/account/sign-out`. */
export const signOutPages = new Pages().form("/", agreeing, {
  first: noteUser,
  values: (sent) => ({ r: sent.text("r") }),
  done: (c, asked) => {
    deleteConsoleCookie(c, "session");
    return donePage(c, asked);
  },
}).router;
