/** What imported hashes need besides themselves. */
import * as z from "zod";

/** What the Firebase console shows under "Password hash parameters". The keys are Base64. */
export const firebaseSettings = z.strictObject({
  signerKey: z.base64().min(4).max(512),
  saltSeparator: z.base64().max(64),
  rounds: z.int().min(1).max(8),
  memCost: z.int().min(1).max(14),
});

export type FirebaseSettings = z.infer<typeof firebaseSettings>;
