/** A real OpenID Connect provider on this machine: oidc-provider, where everybody signs in by typing their address. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Context } from "oidc-provider";

export const CLIENT = { id: "postern", secret: "a-secret-between-two-processes" };
const SCOPES = "openid email profile";

export interface Issuer {
  url: string;
  close(): void;
}

const LOGIN = `<!doctype html><title>Issuer</title>
<form><label>Login <input name="login"></label><button>Enter</button></form>`;

/** Starts it for one client, whose redirect URI is given. */
export async function startIssuer(redirectUri: string): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const { warn } = console;
  console.warn = () => {}; // The provider would warn that it keeps everything in memory.
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    cookies: { keys: ["not a secret: the tests are alone with it"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    // A refresh token that comes twice ends what it gave.
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: 60 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: Context, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: true, name: "Ada" }),
    }),
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  });
  console.warn = warn;
  const handle = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "", url);
    if (!pathname.startsWith("/interaction/")) return handle(request, response);
    const login = searchParams.get("login");
    if (login === null) return response.setHeader("Content-Type", "text/html").end(LOGIN);
    await provider.interactionFinished(request, response, { login: { accountId: login, remember: false } });
  };
  server.on("request", (request, response) => void answer(request, response));
  return { url, close: () => server.close() };
}
