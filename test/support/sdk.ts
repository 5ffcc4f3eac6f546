/** `postern/client` on the service under test, with a `fetch` that records requests and can be replaced. */
import { exports } from "cloudflare:workers";
import { type Client, type ClientOptions, createClient, type Fetch, memoryStore } from "../../src/sdk/client";
import { ownAddress, type Person } from "./client";

interface Sent {
  route: string;
  headers: Headers;
}

/** Sends to the service under test. */
export const serviceFetch: Fetch = (url, init) => {
  const request = new Request(url, init);
  request.headers.set("cf-connecting-ip", ownAddress);
  return exports.default.fetch(request);
};

/** A client signed in as `person`, the requests that it has sent, and those of them that renewed tokens. */
export function clientOf(
  person?: Person,
  options: Partial<ClientOptions> = {},
): { client: Client; sent: Sent[]; refreshes: () => Sent[] } {
  const { fetch = serviceFetch, ...rest } = options;
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: "http://postern.test",
    tokens: memoryStore(person ? { accessToken: person.token, refreshToken: person.refreshToken } : null),
    fetch: (url, init) => {
      sent.push({ route: `${init.method} ${new URL(url).pathname}`, headers: new Headers(init.headers) });
      return fetch(url, init);
    },
    ...rest,
  });
  return { client, sent, refreshes: () => sent.filter(({ route }) => route === "POST /api/v1/auth/refresh") };
}
