import { type Client, PosternError } from "postern/client";

/** Signs in. `askForCode` shows a field for the code of the authenticator app, to those who have one. */
export async function signIn(postern: Client, email: string, password: string, askForCode: () => Promise<string>) {
  try {
    await postern.auth.login({ email, password });
  } catch (error) {
    if (!(error instanceof PosternError) || error.code !== "TOTP_REQUIRED") throw error;
    await postern.auth.login({ email, password, totp: await askForCode() });
  }
  return postern.auth.me();
}

/** Signs in with a code from a mail instead of a password. */
export async function signInByMail(postern: Client, email: string, askForCode: () => Promise<string>) {
  const { state } = await postern.auth.requestCode(email);
  await postern.auth.loginWithCode({ state, code: await askForCode() });
}
