import { type Client, PosternError } from "postern/client";

/**
 * Lets the browser create a passkey. `askForPassword` confirms a session that has not been confirmed for ten minutes.
 */
export async function addPasskey(postern: Client, askForPassword: () => Promise<string>) {
  try {
    return await postern.passkeys.register("My laptop");
  } catch (error) {
    if (!(error instanceof PosternError) || error.code !== "STEP_UP_REQUIRED") throw error;
    await postern.auth.stepUp({ password: await askForPassword() });
    return postern.passkeys.register("My laptop");
  }
}

/** Signs in with a passkey. */
export const signInWithPasskey = (postern: Client) => postern.passkeys.login();
