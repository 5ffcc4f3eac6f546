/** The client that the commands call the service with. */
import { type Client, createClient, type Fetch } from "../client";
import { type Account, isPlatformKey } from "./account";
import { sendExactly } from "./exact";
import { usage } from "./failure";
import { renewing } from "./kept-tokens";

/** A client that acts as the account, in `tenant` if one is given. */
export function clientOf({ url, credential }: Account, tenant?: string, fetch: Fetch = sendExactly): Client {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw usage(`Not the address of a service: ${url}`);
  const common = { baseUrl: url, tenant };
  if (typeof credential !== "string") {
    return createClient({ ...common, fetch: renewing(url, credential, fetch), apiKey: credential.access });
  }
  const key = isPlatformKey(credential) ? { platformKey: credential } : { apiKey: credential };
  return createClient({ ...common, fetch, ...key });
}
