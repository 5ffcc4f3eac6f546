/** The adapter for servers that speak Node's `req` and `res`, such as Express and Fastify (`request.raw`). */
import type { FoundSession, Needs, WebSession, WebSessions } from "./web-session";

/** The members of `http.IncomingMessage` that are read. */
export interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  /** Express cuts `url` where a router is mounted. */
  originalUrl?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  socket?: { encrypted?: boolean | undefined } | undefined;
}

/** The members of `http.ServerResponse` that are used. */
export interface NodeResponse {
  statusCode: number;
  appendHeader(name: string, value: string | readonly string[]): unknown;
  end(body?: string): unknown;
}

export interface NodeWebSession {
  /** A middleware that answers the paths of the sign-in. */
  handle(request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void): void;
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
    handle(request, response, next) {
      const answering = async () => {
        const answer = await web.handle(toRequest(request));
        if (answer) await send(answer, response);
        else next();
      };
      answering().catch(next);
    },
    session: async (request, response) => found(await web.session(toRequest(request)), response),
    async require(request, response, needs) {
      const answer = await web.require(toRequest(request), needs);
      if (!(answer instanceof Response)) return found(answer, response);
      await send(answer, response);
      return null;
    },
  };
}

/** Without a body, which the sign-in does not need: the app may have read it. */
function toRequest({ method = "GET", url = "/", originalUrl, headers: given, socket }: NodeRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (!name.startsWith(":")) for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const origin = `${socket?.encrypted ? "https" : "http"}://${headers.get("host") ?? "localhost"}`;
  return new Request(new URL(originalUrl ?? url, origin), { method, headers });
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
