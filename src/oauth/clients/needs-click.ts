/** Which apps get their answers after a click alone. */
import { isOnDevice } from "./redirect-urls";
import type { ClientRow } from "./store";

/**
 * Any program of the device can name an app of a device (RFC 8252 section 8.6), and anybody can make an unlisted
 * client, for which we would be an open redirector (RFC 9700 section 4.11.2).
 */
export const needsClick = ({ kind }: Pick<ClientRow, "kind">, redirectUri: string): boolean =>
  kind !== "registered" || isOnDevice(redirectUri);
