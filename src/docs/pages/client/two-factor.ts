import type { Client } from "postern/client";

/** Turns the second factor on. Returns ten recovery codes, which the user must keep. */
export async function turnOn(postern: Client, showQrCode: (uri: string) => void, askForCode: () => Promise<string>) {
  const { qrCodeUri } = await postern.twoFactor.enable();
  showQrCode(qrCodeUri);
  await postern.twoFactor.verify(await askForCode());
  // Each code of the app works once, so this is the next one.
  const { recoveryCodes } = await postern.twoFactor.renewRecoveryCodes(await askForCode());
  return recoveryCodes;
}
