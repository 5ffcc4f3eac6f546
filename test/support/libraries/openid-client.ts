/** openid-client, as its README shows it for the code flow. */
import * as client from "openid-client";
import { ISSUER } from "../apps";
import { AFTER, CALLBACKS, type NewLibrary, reach } from "./library";

export const openidClient: NewLibrary = async (app) => {
  const config = await client.discovery(new URL(ISSUER), app.id, app.secret, undefined, {
    [client.customFetch]: reach as never,
    // Signatures of ID tokens are checked too, which the code flow does not ask for.
    execute: [client.enableNonRepudiationChecks],
  });
  const verifier = client.randomPKCECodeVerifier();
  const [state, nonce] = [client.randomState(), client.randomNonce()];
  let tokens: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;
  const said = (given: typeof tokens) => {
    const claims = given.claims();
    return { userId: claims?.sub, tenantId: claims?.tid?.toString() };
  };
  return {
    async begin() {
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACKS[0] ?? "",
        scope: "openid email tenant offline_access",
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
      return url.href;
    },
    async finish(answered) {
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      tokens = await client.authorizationCodeGrant(config, answered, checks);
      return said(tokens);
    },
    async renew() {
      tokens = await client.refreshTokenGrant(config, tokens.refresh_token ?? "");
      const claims = tokens.claims();
      const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims?.sub ?? "");
      return { userId: userinfo.sub, tenantId: userinfo.tid?.toString() };
    },
    async signOut() {
      await client.tokenRevocation(config, tokens.refresh_token ?? "");
      const params = { id_token_hint: tokens.id_token ?? "", post_logout_redirect_uri: AFTER };
      return client.buildEndSessionUrl(config, params).href;
    },
  };
};
