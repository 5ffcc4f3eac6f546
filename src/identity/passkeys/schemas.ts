/** Changing one's own passkeys, in requests. */
import * as z from "zod";
import { attestation, passkeyName, passkeyState } from "./webauthn/schemas";

export const newPasskey = z
  .object({ state: passkeyState, response: attestation, name: passkeyName })
  .meta({ id: "NewPasskey", description: "A passkey to add." });

export const passkeyChange = z.object({ name: passkeyName }).meta({ id: "PasskeyChange" });
