/** The adapter for servers that speak Node's `req` and `res`, such as Express and Fastify (`request.raw`). */
import type { FoundSession, Needs, WebSession, WebSessions } from "./web-session";

const MAX_FORM_BYTES = 64 * 1024;
const LOGOUT = "/back-channel-logout";

/** The members of `http.IncomingMessage` that are read. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  /** Express cuts `url` where a router is mounted. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  /** What Express has read of a form; otherwise the request itself is read. */
  body?: unknown;
  socket?: { encrypted?: boolean | undefined } | undefined;
}

/** The members of `http.ServerResponse` that are used. */
export interface NodeResponse {
  statusCode: number;
  appendHeader(name: string, value: string | readonly string[]): unknown;
  end(body?: string): unknown;
}

export interface NodeWebSession {
  /**
   * Answers the paths of the sign-in. Resolves to whether it has. As a middleware, it calls `next` if it has not, and
   * with what went wrong.
   */
  handle(request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void): Promise<boolean>;
  /** Who has sent the request. Sets the cookies that the answer must have. */
  session(request: NodeRequest, response: NodeResponse): Promise<WebSession | null>;
  /** Who has sent the request, if they may go on. Otherwise it has answered, and returns null. */
  require(request: NodeRequest, response: NodeResponse, needs?: Needs): Promise<WebSession | null>;
}

/**
 * Serves the sessions of an app to Node's `req` and `res`.
 *
 * @example
 * const web = forNode(createWebSession({ issuer, clientId, clientSecret, secret, origin }));
 * app.use(web.handle);
 * app.get("/", async (req, res) => {
 *   const session = await web.require(req, res);
 *   if (session) res.send(`Hello ${session.email}`);
 * });
 */
export function forNode(web: WebSessions): NodeWebSession {
  const found = ({ session, headers }: FoundSession, response: NodeResponse) => {
    setCookies(headers, response);
    return session;
  };
  return {
    async handle(request, response, next) {
      let answer: Response | null;
      try {
        const asked = await toRequestWithForm(request);
        answer = asked ? await web.handle(asked) : malformed();
      } catch (error) {
        if (!next) throw error;
        next(error);
        return true;
      }
      if (answer) await send(answer, response);
      else next?.();
      return answer !== null;
    },
    async session(request, response) {
      const asked = toRequest(request);
      return asked && found(await web.session(asked), response);
    },
    async require(request, response, needs) {
      const asked = toRequest(request);
      const answer = asked ? await web.require(asked, needs) : malformed();
      if (!(answer instanceof Response)) return found(answer, response);
      await send(answer, response);
      return null;
    },
  };
}

/** With the form of back-channel logout, if that is what it is: nothing else of a body is read. */
async function toRequestWithForm(given: NodeRequest): Promise<Request | null> {
  const request = toRequest(given);
  if (given.method !== "POST" || !request || !new URL(request.url).pathname.endsWith(LOGOUT)) return request;
  const body = isForm(given.body) ? new URLSearchParams(given.body) : await bytesOf(given);
  return new Request(request.url, { method: "POST", body });
}

const isForm = (body: unknown): body is { logout_token: string } =>
  typeof body === "object" && body !== null && "logout_token" in body && typeof body.logout_token === "string";

async function bytesOf(request: NodeRequest): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  if (isReadable(request)) {
    for await (const part of request) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_FORM_BYTES) break;
    }
  }
  return new Blob(parts);
}

const isReadable = (request: NodeRequest): request is NodeRequest & AsyncIterable<Uint8Array<ArrayBuffer>> =>
  Symbol.asyncIterator in request;

const malformed = (): Response => new Response("The request is malformed.\n", { status: 400 });

/**
 * Without a body, which the sign-in does not need: the app may have read it. Null for one that the Fetch standard does
 * not know, such as TRACE, and for one whose host is none.
 */
function toRequest({ method = "GET", url = "/", originalUrl, headers: given, socket }: NodeRequest): Request | null {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith(":")) for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const origin = `${socket?.encrypted ? "https" : "http"}://${headers.get("host") ?? "localhost"}`;
  try {
    return new Request(new URL(origin + pathOf(originalUrl ?? url)), { method, headers });
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** A path that begins with two slashes is a path: a parser would read a host in it, which then counted as the app's. */
function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const { pathname, search } = new URL(target, "http://localhost");
  return pathname + search;
}

function setCookies(headers: Headers, response: NodeResponse): void {
  const lines = headers.getSetCookie();
  if (lines.length > 0) response.appendHeader("Set-Cookie", lines);
}

async function send(answer: Response, response: NodeResponse): Promise<void> {
  response.statusCode = answer.status;
  setCookies(answer.headers, response);
  answer.headers.forEach((value, name) => {
    if (name !== "set-cookie") response.appendHeader(name, value);
  });
  response.end(await answer.text());
}
