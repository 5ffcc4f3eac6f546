/** The token endpoint: an app exchanges a code for its tokens (RFC 6749 section 4.1.3, OpenID Connect Core 3.1.3). */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import { isShownRightly, readCode } from "../authorization/code";
import { touchClient } from "../clients/store";
import { OAuthError } from "../errors";
import { type ClientRequest, limitClient, requireProven, type ShownProof, withProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { refreshTokens } from "./refresh";
import { makeOfflineToken } from "./refresh-token";
import { refused } from "./refused";
import { type TokenResponse, tokensFor } from "./response";
import { exchangeCode } from "./store";

const invalidGrant = () =>
  new OAuthError("invalid_grant", "The code has expired, was used before, or is not for this app.");

/** Throws OAuthError, and RATE_LIMITED. */
export const requestTokens = (deps: Deps, request: ClientRequest): Promise<TokenResponse> =>
  withProof(deps, request, async (proof) => {
    await limitClient(deps, proof, request.clientIp);
    const type = request.form.get("grant_type");
    if (type === "authorization_code") return tokensOfCode(deps, proof, request);
    if (type === "refresh_token") return refreshTokens(deps, proof, request);
    await requireProven(deps, proof);
    if (type === null) throw new OAuthError("invalid_request", "grant_type is missing.");
    throw new OAuthError("unsupported_grant_type", "This grant is not supported.");
  });

async function tokensOfCode(
  deps: Deps,
  proof: ShownProof,
  { form, origin, userAgent }: ClientRequest,
): Promise<TokenResponse> {
  const text = form.get("code");
  const code = text === null ? null : await readCode(deps, text);
  const shown = { redirectUri: form.get("redirect_uri"), verifier: form.get("code_verifier") };
  if (text === null) {
    await requireProven(deps, proof);
    throw new OAuthError("invalid_request", "code is missing.");
  }
  // Without D1, whoever asks: what is invented, and what is another client's, says nothing of the client.
  if (code?.clientId !== proof.clientId || !(await isShownRightly(code, shown))) {
    throw refused(proof.clientId, invalidGrant());
  }
  const revert = await newRevert(deps.keys, deps.now());
  const exchange = { code, proof, signInId: newId(), origin, userAgent, revert };
  const { client, granted, isToTell } = await exchangeCode(deps, exchange, deps.now());
  if (!client) throw invalidClient(proof.triedBasic);
  if (!granted) throw refused(client.id, invalidGrant());
  deps.background("client use", touchClient(deps, client, deps.now()));
  if (isToTell) {
    const told = { id: revert.mailId, userId: granted.userId, appName: client.name };
    await queueMailIfPossible(deps, { kind: "appConnected", ...told });
  }
  const { offlineGrantId } = granted;
  const offline = offlineGrantId !== null && { clientId: client.id, grantId: offlineGrantId, generation: 1 };
  // The access token is that of the grant that lives longer, so that ending the grant ends it too.
  const tokens = await tokensFor(deps, client, { ...granted, grantId: offlineGrantId ?? granted.signInId }, code);
  return { ...tokens, ...(offline ? { refresh_token: await makeOfflineToken(deps.keys, offline) } : {}) };
}
