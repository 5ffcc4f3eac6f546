/** `postern login`: signs somebody in with the browser of this machine, which comes back to it (RFC 8252). */
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Tokens } from "./account";
import { CLIENT_ID, type Endpoints, post, resourceOf, scopesOf, tokensOf } from "./authorization-server";
import { EXIT, Failure } from "./failure";
import { tell } from "./output";

const PATH = "/callback";
const WAITS_MS = 10 * 60_000;

/** Throws Failure if it is refused, or the browser does not come back in time. */
export async function signInByBrowser(url: string, endpoints: Endpoints): Promise<Tokens> {
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  const { server, answer } = await listening();
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    const params = {
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: await scopesOf(url),
      resource: resourceOf(url),
      state,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    };
    const address = `${endpoints.authorization_endpoint}?${new URLSearchParams(params)}`;
    tell(`Sign in with your browser. If it does not open, go to:\n${address}`);
    openBrowser(address);
    const code = codeIn(await answer, { state, issuer: new URL(endpoints.token_endpoint).origin });
    const form = { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
    return tokensOf(await post(endpoints.token_endpoint, form));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A server that nobody outside reaches, and what the browser brings to it. */
async function listening(): Promise<{ server: Server; answer: Promise<URLSearchParams> }> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const isBack = request.method === "GET" && pathname === PATH;
    response.writeHead(isBack ? 200 : 404, { "Content-Type": "text/plain", Connection: "close" });
    response.end(isBack ? "You can close this page, and go back to the terminal.\n" : "");
    if (isBack) resolve(searchParams);
  });
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const tooLate = new Failure(EXIT.notSignedIn, "Nobody has signed in for ten minutes.");
  setTimeout(() => reject(tooLate), WAITS_MS).unref();
  return { server, answer };
}

/** Throws Failure for an error, and for an answer that is not to this request or not of this service (RFC 9207). */
function codeIn(answer: URLSearchParams, { state, issuer }: { state: string; issuer: string }): string {
  const code = answer.get("code");
  const isOurs = answer.get("state") === state && answer.get("iss") === issuer;
  if (isOurs && code !== null) return code;
  const said = isOurs ? answer.get("error_description") : null;
  throw new Failure(EXIT.notSignedIn, said ?? "The browser came back with the answer to another request.");
}

/** A machine without a browser is no failure: the address is printed. */
function openBrowser(address: string): void {
  const [program, ...args] = BROWSERS[process.platform] ?? ["xdg-open"];
  if (program === undefined) return;
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
}

/** Without a shell, which would read `&` in an address. */
const BROWSERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
