/** @hono/oidc-auth, which asks for every scope, and renews without a lock. */
import {
  getAuth,
  initOidcAuthMiddleware,
  oidcAuthMiddleware,
  processOAuthCallback,
  revokeSession,
} from "@hono/oidc-auth";
import { Hono } from "hono";
import { vi } from "vitest";
import { type App, ISSUER } from "../apps";
import { Jar, ORIGIN } from "../web-issuer";
import { CALLBACKS, type NewLibrary, reach, type Said } from "./library";

const PARALLEL = 10;

function appOf(app: App): Hono {
  const web = new Hono();
  web.use(
    initOidcAuthMiddleware({
      OIDC_AUTH_SECRET: "a secret of the app, which nobody knows",
      OIDC_ISSUER: ISSUER,
      OIDC_CLIENT_ID: app.id,
      OIDC_CLIENT_SECRET: app.secret ?? "",
      OIDC_REDIRECT_URI: CALLBACKS[2] ?? "",
      // Each request finds that it is time to renew.
      OIDC_AUTH_REFRESH_INTERVAL: "-10",
    }),
  );
  web.use(async (context, next) => {
    context.set("oidcClaimsHook", async (before, claims) => ({ ...before, sub: claims?.sub ?? "", tid: claims?.tid }));
    await next();
  });
  web.get("/hono", (context) => processOAuthCallback(context));
  web.get("/sign-out", async (context) => {
    await revokeSession(context);
    return context.body(null);
  });
  web.use(oidcAuthMiddleware());
  web.get("/", async (context) => context.json(await getAuth(context)));
  return web;
}

export const honoOidcAuth: NewLibrary = async (app) => {
  const web = appOf(app);
  const jar = new Jar();
  const send = async (path: string): Promise<Response> => {
    vi.stubGlobal("fetch", reach);
    try {
      return await web.request(jar.request(path), undefined, {});
    } finally {
      vi.unstubAllGlobals();
    }
  };
  const open = async (path: string): Promise<Response> => {
    const answer = await send(path);
    jar.take(answer);
    return answer;
  };
  const said = async (answer: Response): Promise<Said | null> => {
    if (answer.status !== 200) return null;
    const { sub, tid } = await answer.json<{ sub: string; tid: string }>();
    return { userId: sub, tenantId: tid };
  };
  return {
    begin: async () => (await open("/")).headers.get("location") ?? "",
    async finish(answered) {
      const { status } = await open(answered.pathname + answered.search);
      return status === 302 ? said(await open("/")) : null;
    },
    async renew() {
      const answers = await Promise.all(Array.from({ length: PARALLEL }, () => send("/")));
      if (answers.some(({ status }) => status !== 200)) throw new Error("A parallel request was refused.");
      jar.take(answers[0] ?? new Response());
      return said(await open("/"));
    },
    async signOut() {
      await open("/sign-out");
      const { origin } = new URL((await open("/")).headers.get("location") ?? ORIGIN);
      if (origin !== ISSUER) throw new Error("The session goes on.");
      return null;
    },
  };
};
