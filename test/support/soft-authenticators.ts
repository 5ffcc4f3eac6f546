/** `navigator.credentials` of a browser with an authenticator in software. */
import { base64url } from "jose";
import type { Authenticators, PasskeyCreationOptions, PasskeyRequestOptions } from "../../src/sdk/client";
import { make, type SoftPasskey, show } from "./authenticator";

type Given<T> = { publicKey: T; signal?: AbortSignal; mediation?: string };
const bytes = (text: string) => new Uint8Array(base64url.decode(text)).buffer;
const text = (buffer: unknown) => base64url.encode(buffer as Uint8Array);
export const named = (list: { id: unknown }[]) => list.map((one) => ({ ...one, id: text(one.id) }));

/** Takes and returns bytes as a browser does. `hold` keeps a request in the suggestions until its signal aborts. */
export function softAuthenticators({ hold = 0 } = {}) {
  const passkeys: SoftPasskey[] = [];
  const asked: Given<PasskeyRequestOptions["options"]>[] = [];
  let held = hold;
  const authenticators = {
    create: async ({ publicKey }: Given<PasskeyCreationOptions["options"]>) => {
      const { user, challenge, excludeCredentials } = publicKey;
      const options = {
        ...publicKey,
        challenge: text(challenge),
        user: { ...user, id: text(user.id) },
        excludeCredentials: named(excludeCredentials) as typeof excludeCredentials,
      };
      const { passkey, response } = await make({ state: "", options, expiresAt: "" });
      passkeys.push(passkey);
      const { clientDataJSON, attestationObject, transports } = response.response;
      return {
        id: response.id,
        response: {
          clientDataJSON: bytes(clientDataJSON),
          attestationObject: bytes(attestationObject),
          getTransports: () => transports,
        },
      };
    },
    get: async (given: Given<PasskeyRequestOptions["options"]>) => {
      asked.push(given);
      const [passkey] = passkeys;
      if (!passkey) throw new DOMException("No passkey.", "NotAllowedError");
      if (held > 0) {
        held -= 1;
        await new Promise((_, reject) => given.signal?.addEventListener("abort", () => reject(given.signal?.reason)));
      }
      const options = { ...given.publicKey, challenge: text(given.publicKey.challenge) };
      const { id, response } = await show({ state: "", options, expiresAt: "" }, passkey);
      const { clientDataJSON, authenticatorData, signature, userHandle } = response;
      return {
        id,
        response: {
          clientDataJSON: bytes(clientDataJSON),
          authenticatorData: bytes(authenticatorData),
          signature: bytes(signature),
          userHandle: userHandle ? bytes(userHandle) : null,
        },
      };
    },
  };
  return { authenticators: authenticators as unknown as Authenticators, asked };
}
