/** Where the pages for apps lead people whom no app has sent: to the product, and to the operator's own apps. */
import type { Context } from "hono";
import type { AppEnv } from "../../base/http/env";
import { listStartedApps } from "../../oauth/clients/starts-store";
import { withQuery } from "../components/address";
import type { Way } from "../components/onward";
import { isForApps } from "./mount";

/** Empty in the console. */
export async function waysOnward(c: Context<AppEnv>): Promise<Way[]> {
  if (!isForApps(c)) return [];
  const { config } = c.get("deps");
  const apps = await listStartedApps(c.get("deps"));
  return [
    { name: config.brand.name, url: config.appUrl },
    ...apps.map(({ name, initiateLoginUrl }) => ({ name, url: startingAt(initiateLoginUrl, config.tokenIssuer) })),
  ];
}

/** The app learns who sends the person (OpenID Connect Core section 4). The URL stays as it is registered. */
const startingAt = (url: string, iss: string): string =>
  url.includes("?") ? `${url}&${new URLSearchParams({ iss })}` : withQuery(url, { iss });
