/** Who is signed in. The tokens are in a cookie that scripts of the page cannot read. */
import { createHmac } from "node:crypto";
import { createClient, PosternError } from "postern/client";
import { createSessionVerifier, SessionError } from "postern/session";
import { POSTERN_URL, SHOP_SECRET, SHOP_URL } from "./settings.mjs";

const DAYS_30 = 30 * 86_400;
const OPTIONS = `Path=/; Max-Age=${DAYS_30}; HttpOnly; SameSite=Lax${SHOP_URL.startsWith("https:") ? "; Secure" : ""}`;
const EXPECTED = { issuer: POSTERN_URL, audience: "postern" };
const sessions = createSessionVerifier(EXPECTED);
/** For tokens that have just come from Postern. */
const newTokens = createSessionVerifier({ ...EXPECTED, revocation: "off" });

/** A client of Postern that acts as whoever sends this request. It keeps the tokens in the cookie of the response. */
export function clientOf(request, response) {
  let tokens = tokensIn(request.headers.cookie);
  const save = (next) => {
    tokens = next;
    response.setHeader("Set-Cookie", `shop_session=${next ? encode(next) : ""}; ${OPTIONS}`);
  };
  return createClient({ baseUrl: POSTERN_URL, tokens: { load: () => tokens && withKey(tokens), save } });
}

/**
 * Returns userId, tenantId and role of whoever sends this request, or null. Usually this asks nobody. Throws
 * SessionError with the status 403 for somebody who lacks the second factor that the tenant requires.
 */
export async function signedIn(request, response) {
  const tokens = tokensIn(request.headers.cookie);
  if (!tokens) return null;
  try {
    return await sessions.verify(tokens.accessToken);
  } catch (error) {
    if (!(error instanceof SessionError) || error.status === 503) throw error;
  }
  // The token has expired, the role has changed, or a second factor was due. A session that has ended gets no other token.
  try {
    const renewed = await clientOf(request, response).auth.refresh();
    return renewed && (await newTokens.verify(renewed.accessToken));
  } catch (error) {
    if (error instanceof PosternError && error.status === 401) return null;
    throw error;
  }
}

/** Requests that arrive together renew under the same key, so each gets the same answer; so does a lost one. */
function withKey(tokens) {
  const hex = createHmac("sha256", SHOP_SECRET).update(tokens.refreshToken).digest("hex");
  const refreshKey = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return { ...tokens, refreshKey: refreshKey.join("-") };
}

const encode = ({ accessToken, refreshToken }) =>
  Buffer.from(JSON.stringify({ accessToken, refreshToken })).toString("base64url");

function tokensIn(cookies = "") {
  const value = cookies.match(/(?:^|; )shop_session=([\w-]+)/)?.[1];
  try {
    return value ? JSON.parse(Buffer.from(value, "base64url").toString()) : null;
  } catch {
    return null;
  }
}
