/** Auth.js (`@auth/core`, which Next, SvelteKit and Express use), with the rotation of tokens that its guide shows. */
import { type App, ISSUER, proofOf } from "../apps";
import { Jar, ORIGIN } from "../web-issuer";
import { Auth, type AuthConfig, customFetch } from "./auth-core.mjs";
import { AFTER, type NewLibrary, reach } from "./library";

/** What the app keeps in its cookie. */
interface Kept {
  refreshToken: string;
  idToken: string;
  tenantId: string;
  expiresAt: number;
}

const configOf = (app: App, now: () => number): AuthConfig => ({
  secret: "a secret of the app, which nobody knows",
  trustHost: true,
  basePath: "/auth",
  logger: { error: () => {} },
  providers: [
    {
      id: "postern",
      name: "Postern",
      type: "oidc",
      issuer: ISSUER,
      clientId: app.id,
      clientSecret: app.secret ?? "",
      checks: ["pkce", "state", "nonce"],
      authorization: { params: { scope: "openid profile email tenant offline_access" } },
      // Without this, the id is one of Auth.js.
      profile: ({ sub, name, email }: Record<string, string>) => ({ id: sub, name, email }),
      [customFetch]: reach,
    },
  ],
  callbacks: {
    async jwt({ token, account, profile }) {
      if (!account) return Number(token.expiresAt) > now() / 1000 ? token : { ...token, ...(await rotate(app, token)) };
      const { refresh_token: refreshToken, id_token: idToken, expires_at: expiresAt } = account;
      return { ...token, sub: account.providerAccountId, refreshToken, idToken, expiresAt, tenantId: profile?.tid };
    },
    session: ({ session, token }) => ({ ...session, kept: token }),
  },
});

async function rotate(app: App, token: Record<string, unknown>) {
  const form = { grant_type: "refresh_token", refresh_token: String(token.refreshToken), ...proofOf(app) };
  const answer = await reach(`${ISSUER}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
  const { refresh_token, expires_in, id_token } = await answer.json<Record<string, string>>();
  if (!answer.ok) throw new Error("The session has ended.");
  return { refreshToken: refresh_token, idToken: id_token, expiresAt: Date.now() / 1000 + Number(expires_in) };
}

export const authJs: NewLibrary = async (app) => {
  let nowMs = Date.now();
  const jar = new Jar();
  const config = configOf(app, () => nowMs);
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await Auth(jar.request(path, init), config);
    jar.take(answer);
    return answer;
  };
  const post = async (path: string) => {
    const { csrfToken } = await (await send("/auth/csrf")).json<{ csrfToken: string }>();
    return send(path, { method: "POST", body: new URLSearchParams({ csrfToken, callbackUrl: ORIGIN }) });
  };
  const read = async () => {
    const session = await (await send("/auth/session")).json<{ kept?: Kept & { sub: string } } | null>();
    return session?.kept ?? null;
  };
  const said = async () => {
    const kept = await read();
    return kept && { userId: kept.sub, tenantId: kept.tenantId };
  };
  return {
    begin: async () => (await post("/auth/signin/postern")).headers.get("location") ?? "",
    async finish(answered) {
      await send(answered.pathname + answered.search);
      return said();
    },
    async renew() {
      const before = await read();
      nowMs = Date.now() + 901_000;
      const after = await said();
      if (before?.refreshToken === (await read())?.refreshToken) throw new Error("Nothing was renewed.");
      return after;
    },
    async signOut() {
      const idToken = (await read())?.idToken ?? "";
      await post("/auth/signout");
      if ((await read()) !== null) throw new Error("The session goes on.");
      const params = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: AFTER });
      return `${ISSUER}/oauth/logout?${params}`;
    },
  };
};
