/** The endpoints of a Svix environment, as subscriptions. */
import type { Endpoint, TenantEndpoints } from "./endpoint";
import { EXIT, Failure } from "./failure";
import { tell } from "./output";

const PAGE_ITEMS = 250;
const TIMEOUT_MS = 30_000;

interface Application {
  id: string;
  uid?: string | null;
}

interface SvixEndpoint {
  id: string;
  uid?: string | null;
  url: string;
  description?: string;
  disabled?: boolean;
  filterTypes?: string[] | null;
}

/** Reads all applications with the token in SVIX_TOKEN. An application is the tenant with its uid, else its id. */
export async function endpointsOfSvix(apiUrl: string): Promise<TenantEndpoints[]> {
  const token = process.env.SVIX_TOKEN;
  if (!token) throw new Failure(EXIT.notSignedIn, "Set SVIX_TOKEN to a token of your Svix environment.");
  const get = <T>(path: string) => read<T>(apiUrl, path, token);
  const all: TenantEndpoints[] = [];
  for (const app of await pages<Application>(get, "/api/v1/app")) {
    const endpoints: Endpoint[] = [];
    for (const endpoint of await pages<SvixEndpoint>(get, `/api/v1/app/${app.id}/endpoint`)) {
      const at = `/api/v1/app/${app.id}/endpoint/${endpoint.id}`;
      const { key } = await get<{ key: string }>(`${at}/secret`);
      const { headers } = await get<{ headers: Record<string, string> }>(`${at}/headers`);
      endpoints.push(subscriptionOf(endpoint, key, headers));
    }
    tell(`${app.uid ?? app.id}: ${endpoints.length} endpoints`);
    all.push({ tenant: `ext:${app.uid ?? app.id}`, endpoints });
  }
  return all;
}

/** An endpoint without a filter receives every type. Its receivers go on to verify Svix's headers. */
const subscriptionOf = (endpoint: SvixEndpoint, secret: string, headers: Record<string, string>): Endpoint => ({
  externalId: endpoint.uid ?? endpoint.id,
  url: endpoint.url,
  events: endpoint.filterTypes?.length ? endpoint.filterTypes : ["*"],
  secret,
  enabled: endpoint.disabled !== true,
  delivery: { headers, signatureProfile: { kind: "svix" } },
});

async function pages<T>(get: <U>(path: string) => Promise<U>, path: string): Promise<T[]> {
  const items: T[] = [];
  for (let iterator: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: String(PAGE_ITEMS), ...(iterator ? { iterator } : {}) });
    const page = await get<{ data: T[]; iterator: string | null; done: boolean }>(`${path}?${query}`);
    items.push(...page.data);
    if (page.done || !page.iterator) return items;
    iterator = page.iterator;
  }
}

async function read<T>(apiUrl: string, path: string, token: string): Promise<T> {
  const url = new URL(path, apiUrl);
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal }).catch(() => undefined);
  if (!answer) throw new Failure(EXIT.unreachable, `${url.origin} cannot be reached.`);
  if (answer.status === 401) throw new Failure(EXIT.notSignedIn, "Svix does not take the token in SVIX_TOKEN.");
  if (!answer.ok) throw new Failure(EXIT.failed, `${url} answered ${answer.status}.`);
  return (await answer.json()) as T;
}
