/** Our verifier and that of SimpleWebAuthn agree on the responses of honest and dishonest authenticators. */
import {
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { base64url } from "jose";
import { describe, expect, test } from "vitest";
import { verifyAssertion, verifyAttestation } from "../../src/identity/passkeys/webauthn/verify";
import type { PasskeyCreationOptions, PasskeyRequestOptions } from "../../src/sdk/client";
import { type Algorithm, type Misbehaviour, make, ORIGIN, show } from "../support/authenticator";

const RP = { id: "localhost", name: "Postern", origins: [ORIGIN] };
const CHALLENGE = base64url.encode(new Uint8Array(32).fill(7));
const USER_ID = "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f";
const creation: PasskeyCreationOptions = {
  state: "",
  expiresAt: "",
  options: {
    rp: { id: RP.id, name: RP.name },
    user: { id: base64url.encode(USER_ID), name: "ada", displayName: "Ada" },
    challenge: CHALLENGE,
    pubKeyCredParams: [],
    timeout: 1,
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
    attestation: "none",
  },
};
const request: PasskeyRequestOptions = {
  state: "",
  expiresAt: "",
  options: { challenge: CHALLENGE, rpId: RP.id, timeout: 1, allowCredentials: [], userVerification: "required" },
};
const expected = {
  expectedChallenge: CHALLENGE,
  expectedOrigin: ORIGIN,
  expectedRPID: RP.id,
  requireUserVerification: true,
};

const MISBEHAVIOUR: Misbehaviour[] = [
  { origin: "https://evil.example" },
  { rpId: "evil.example" },
  { challenge: base64url.encode(new Uint8Array(32)) },
  { type: "webauthn.other" },
  { userVerified: false },
  { userPresent: false },
  { trailing: 1 },
];

/** Whether a verification succeeds. */
const accepts = (verification: Promise<unknown>) =>
  verification.then(
    (result) => (result as { verified?: boolean }).verified !== false,
    () => false,
  );

describe.each<Algorithm>(["ES256", "EdDSA", "RS256"])("with %s", (algorithm) => {
  const simple = async (wrong: Misbehaviour) => {
    const { response, passkey } = await make(creation, { algorithm, ...wrong });
    const given = { ...response, rawId: response.id, clientExtensionResults: {} };
    return { response, passkey, verify: () => verifyRegistrationResponse({ ...expected, response: given as never }) };
  };

  test("an honest registration and an honest sign-in are accepted by both", async () => {
    const { response, passkey, verify } = await simple({ counter: 3 });
    const { registrationInfo } = (await verify()) as Extract<VerifiedRegistrationResponse, { verified: true }>;
    const ours = await verifyAttestation(RP, CHALLENGE, response);
    expect([ours.id, ours.counter]).toEqual([registrationInfo.credential.id, registrationInfo.credential.counter]);
    const shown = await show(request, passkey, { counter: 4 });
    const stored = { ...ours, userId: USER_ID, wasNamed: false };
    expect(await verifyAssertion(RP, CHALLENGE, shown, stored)).toEqual({ counter: 4, backedUp: false });
    const given = { ...shown, rawId: shown.id, clientExtensionResults: {} };
    const theirs = await verifyAuthenticationResponse({
      ...expected,
      response: given as never,
      credential: registrationInfo.credential,
    });
    expect([theirs.verified, theirs.authenticationInfo.newCounter]).toEqual([true, 4]);
  });

  test.each(MISBEHAVIOUR)("a registration with %j is refused by both", async (wrong) => {
    const { response, verify } = await simple(wrong);
    const verdicts = [await accepts(verifyAttestation(RP, CHALLENGE, response)), await accepts(verify())];
    expect(verdicts).toEqual([false, false]);
  });

  test.each(MISBEHAVIOUR)("a sign-in with %j is refused by both", async (wrong) => {
    const { response, passkey, verify } = await simple({});
    const { registrationInfo } = (await verify()) as Extract<VerifiedRegistrationResponse, { verified: true }>;
    const ours = await verifyAttestation(RP, CHALLENGE, response);
    const shown = await show(request, passkey, wrong);
    const stored = { ...ours, userId: USER_ID, wasNamed: false };
    const given = { ...shown, rawId: shown.id, clientExtensionResults: {} };
    const theirs = () =>
      verifyAuthenticationResponse({
        ...expected,
        response: given as never,
        credential: registrationInfo.credential,
      });
    expect([await accepts(verifyAssertion(RP, CHALLENGE, shown, stored)), await accepts(theirs())]).toEqual([
      false,
      false,
    ]);
  });
});
