/** The endpoints below `/oauth` that apps call themselves. They read the errors of OAuth, not ours. */
import { type Context, Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Deps } from "../../base/deps";
import { type AppError, notFound } from "../../base/errors";
import { limitBody } from "../../base/http/body";
import { deviceOf } from "../../base/http/device";
import type { AppEnv } from "../../base/http/env";
import { toAppError } from "../../base/http/errors";
import { requires } from "../../base/http/operation";
import { originOf } from "../../base/http/origin";
import { isForm } from "../../base/media-type";
import { registerUnlisted } from "../clients/unlisted/registration";
import { OAuthError } from "../errors";
import { withoutEmpty } from "../parameters";
import type { ClientRequest } from "./client-check";
import { startDevice } from "./device-start";
import { newNonce } from "./dpop";
import { requestTokens } from "./exchange";
import { introspectToken } from "./introspect";
import { pushRequest } from "./push";
import { revokeToken } from "./revoke";
import { shownToken } from "./shown-token";
import { userinfo } from "./userinfo";

const FORM_OF_APP = { callers: "anybody", bodyKiB: 16 } as const;
const REGISTER = {
  callers: "anybody",
  bodyKiB: 16,
  isOpenToAllOrigins: true,
  limit: { rule: "registerClient", per: "IP address" },
} as const;
const FOR_APPS = { ...FORM_OF_APP, isOpenToAllOrigins: true } as const;

/** Throws OAuthError for anything but a form, and for a parameter that comes twice (RFC 6749 section 3.2). */
async function readForm(c: Context<AppEnv>): Promise<URLSearchParams> {
  if (!isForm(c.req.header("content-type"))) throw new OAuthError("invalid_request", "Send a form.", 415);
  const form = withoutEmpty(new URLSearchParams(await c.req.text()));
  // A token is for one API; a request for several (RFC 8707 section 2).
  const isForToken = c.req.path.endsWith("/token");
  if (isForToken && form.getAll("resource").length > 1) throw new OAuthError("invalid_target", "Name one resource.");
  const names = [...form.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) throw new OAuthError("invalid_request", "A parameter comes twice.");
  return form;
}

const CODES: Record<number, OAuthError["code"]> = { 429: "temporarily_unavailable", 503: "temporarily_unavailable" };

/** The error in the shape of RFC 6749 section 5.2. */
function refuse(c: Context<AppEnv>, raised: unknown): Response {
  c.header("Cache-Control", "no-store");
  if (raised instanceof OAuthError) {
    for (const [name, value] of Object.entries(raised.headers)) c.header(name, value);
    return c.json({ error: raised.code, error_description: raised.description }, raised.status as ContentfulStatusCode);
  }
  const error: AppError = toAppError(c, raised);
  for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
  const code = CODES[error.status] ?? (error.status < 500 ? "invalid_request" : "server_error");
  return c.json({ error: code, error_description: error.message }, error.status as ContentfulStatusCode);
}

/** An app registers itself. Throws NOT_FOUND while that is switched off. */
async function register(c: Context<AppEnv>): Promise<Response> {
  const deps = c.get("deps");
  if (deps.config.oauthRegistration === "off") throw notFound("Route");
  const text = await c.req.text();
  c.header("Cache-Control", "no-store");
  return c.json(await registerUnlisted(deps, parseJson(text)), 201);
}

/** Undefined for anything but JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const answerUserinfo = async (c: Context<AppEnv>, form: URLSearchParams | null) => {
  c.header("Cache-Control", "no-store");
  const carrier = { dpop: c.req.header("dpop"), method: c.req.method, url: endpointOf(c) };
  return c.json(await userinfo(c.get("deps"), shownToken(c.req.header("authorization"), form, carrier)));
};

const endpointOf = (c: Context<AppEnv>): string => `${c.get("deps").config.tokenIssuer}${c.req.path}`;

async function clientRequest(c: Context<AppEnv>): Promise<ClientRequest> {
  const origin = originOf(c);
  return {
    endpoint: endpointOf(c),
    dpop: c.req.header("dpop"),
    device: () => deviceOf(c),
    form: await readForm(c),
    authorization: c.req.header("authorization"),
    clientIp: c.get("clientIp"),
    origin,
    userAgent: origin.userAgent,
  };
}

/** An endpoint to which a client sends a form and proves itself. */
const answering =
  (work: (deps: Deps, request: ClientRequest) => Promise<object | void>, status: 200 | 201 = 200) =>
  async (c: Context<AppEnv>) => {
    const answer = await work(c.get("deps"), await clientRequest(c));
    c.header("Cache-Control", "no-store");
    return answer ? c.json(answer, status) : c.body(null, status);
  };

/** Whoever shows a key learns the nonce of its next proof (RFC 9449 section 8). */
const giveNonce = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.header("dpop") !== undefined) c.header("DPoP-Nonce", await newNonce(c.get("deps")));
  await next();
});

/** Under `/oauth`. */
export const appRoutes = new Hono<AppEnv>()
  .use("/token", limitBody, giveNonce)
  .use("/par", limitBody, giveNonce)
  .use("/device", limitBody)
  .use("/revoke", limitBody)
  .use("/introspect", limitBody)
  .use("/userinfo", limitBody, giveNonce)
  .use("/register", limitBody)
  .post("/token", requires(FOR_APPS), answering(requestTokens))
  .post("/par", requires(FOR_APPS), answering(pushRequest, 201))
  .post("/device", requires(FOR_APPS), answering(startDevice))
  .post("/revoke", requires(FOR_APPS), answering(revokeToken))
  .post("/introspect", requires(FORM_OF_APP), answering(introspectToken))
  .post("/register", requires(REGISTER), register)
  .get("/userinfo", requires(FOR_APPS), (c) => answerUserinfo(c, null))
  .post("/userinfo", requires(FOR_APPS), async (c) =>
    answerUserinfo(c, isForm(c.req.header("content-type")) ? await readForm(c) : null),
  )
  .onError((error, c) => refuse(c, error));
