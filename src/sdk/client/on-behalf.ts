/** Says for which person a backend calls, so that limits, sessions and mails are theirs and not the backend's. */

/** The person whose request the backend serves. */
export interface OnBehalfOf {
  /** Their IP address, as the backend sees it. */
  ip: string;
  /** Their browser's `User-Agent`, from which sessions and mails name the device. */
  userAgent?: string | undefined;
}

/** Returns the headers of a request; `url` is where it goes. */
export type HeadersForPerson = (method: string, url: string) => Promise<Record<string, string>>;

/** Throws TypeError if there is a person and no secret with which to sign the address. */
export function headersForPerson(person: OnBehalfOf | undefined, secret: string | undefined): HeadersForPerson {
  if (person === undefined) return async () => ({});
  if (!secret) throw new TypeError("onBehalfOf needs clientIpSecret, the service's CLIENT_IP_SECRET.");
  const { ip, userAgent } = person;
  return async (method, url) => {
    const seconds = Math.floor(Date.now() / 1000);
    const signature = await hmac(secret, `${method}.${new URL(url).pathname}.${seconds}.${ip}`);
    return {
      "x-client-ip": ip,
      "x-client-ip-signature": `t=${seconds},v1=${signature}`,
      ...(userAgent ? { "user-agent": userAgent } : {}),
    };
  };
}

/** HMAC-SHA256 in base64. */
async function hmac(secret: string, text: string): Promise<string> {
  const [encoder, algorithm] = [new TextEncoder(), { name: "HMAC", hash: "SHA-256" }];
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  return btoa(String.fromCharCode(...bytes));
}
