/** Changing one's own passkeys, in requests. */
import * as z from "zod";
import { described } from "../../base/schemas/schemas";
import { attestation, passkeyName, passkeyState } from "./webauthn/schemas";

export const newPasskey = described("PasskeyInput", "A passkey to add.", () => ({
  state: passkeyState,
  response: attestation,
  name: passkeyName,
}));

export const passkeyChange = z.object({ name: passkeyName }).meta({ id: "PasskeyChange" });
