/** The token endpoint: an app exchanges a code for its tokens (RFC 6749 section 4.1.3, OpenID Connect Core 3.1.3). */
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import { DEVICE_GRANT } from "../../base/schemas/client-settings";
import { type Code, isShownRightly, readCode } from "../authorization/code";
import { touchClient, withLongId } from "../clients/store";
import { OAuthError } from "../errors";
import { type ClientRequest, limitClient, requireProven, type ShownProof, withProof } from "./client-check";
import { invalidClient } from "./client-proof";
import { codeOfDevice } from "./device-grant";
import { boundKey, keyOfRequest, requireKey } from "./dpop";
import { tokensOfMachine } from "./machine";
import { refreshTokens } from "./refresh";
import { makeOfflineToken } from "./refresh-token";
import { refused } from "./refused";
import { type TokenResponse, tokensFor } from "./response";
import { exchangeCode } from "./store";
import { targetIdOf, targetOf } from "./target";

const invalidGrant = () =>
  new OAuthError("invalid_grant", "The code has expired, was used before, or is not for this app.");

/** Throws OAuthError, and RATE_LIMITED. */
export const requestTokens = (deps: Deps, request: ClientRequest): Promise<TokenResponse> =>
  withProof(deps, request, async (known) => {
    await limitClient(deps, known, request.clientIp);
    const proof = { ...known, jkt: await keyOfRequest(deps, request) };
    const type = request.form.get("grant_type");
    if (type === "authorization_code") return tokensOfShownCode(deps, proof, request);
    if (type === DEVICE_GRANT) return tokensOfCode(deps, proof, request, await codeOfDevice(deps, proof, request));
    if (type === "refresh_token") return refreshTokens(deps, proof, request);
    if (type === "client_credentials") return tokensOfMachine(deps, proof, request);
    await requireProven(deps, proof);
    if (type === null) throw new OAuthError("invalid_request", "grant_type is missing.");
    throw new OAuthError("unsupported_grant_type", "This grant is not supported.");
  });

async function tokensOfShownCode(deps: Deps, proof: ShownProof, request: ClientRequest): Promise<TokenResponse> {
  const { form } = request;
  const text = form.get("code");
  const code = text === null ? null : await readCode(deps, text);
  const shown = { redirectUri: form.get("redirect_uri"), verifier: form.get("code_verifier") };
  if (text === null) {
    await requireProven(deps, proof);
    throw new OAuthError("invalid_request", "code is missing.");
  }
  // Without D1, whoever asks: what is invented, and what is another client's, says nothing of the client.
  if (!code || !(await isShownRightly(code, shown))) throw refused(proof.clientId, invalidGrant());
  return tokensOfCode(deps, proof, request, code);
}

/** A code gives its tokens, once. */
async function tokensOfCode(
  deps: Deps,
  proof: ShownProof,
  { form, origin, userAgent }: ClientRequest,
  code: Code | null,
): Promise<TokenResponse> {
  const isBoundToAnother = code?.jkt !== undefined && code.jkt !== proof.jkt;
  if (code?.clientId !== proof.clientId || isBoundToAnother) throw refused(proof.clientId, invalidGrant());
  const targetId = targetIdOf(deps, form.get("resource"), code.scopes, code.audiences ?? {});
  const revert = await newRevert(deps.keys, deps.now());
  const exchange = { code, proof, signInId: newId(), origin, userAgent, revert, targetId };
  const { client: known, granted, resources, isToTell } = await exchangeCode(deps, exchange, deps.now());
  const client = known && withLongId(known, proof);
  if (!client) throw invalidClient(proof.triedBasic);
  requireKey(client, proof.jkt);
  if (!granted) throw refused(client.id, invalidGrant());
  deps.background("client use", touchClient(deps, client, deps.now()));
  if (isToTell) {
    const told = { id: revert.mailId, userId: granted.userId, appName: client.name };
    await queueMailIfPossible(deps, { kind: "appConnected", ...told });
  }
  const { offlineGrantId } = granted;
  const offline = offlineGrantId !== null && { clientId: client.id, grantId: offlineGrantId, generation: 1 };
  const target = targetId === null ? null : targetOf(deps, client, code.scopes, targetId, resources);
  // The access token is that of the grant that lives longer, so that ending the grant ends it too.
  const subject = { ...granted, grantId: offlineGrantId ?? granted.signInId };
  const tokens = await tokensFor(deps, client, subject, { ...code, target, jkt: boundKey(client, proof.jkt) });
  return { ...tokens, ...(offline ? { refresh_token: await makeOfflineToken(deps.keys, offline) } : {}) };
}
