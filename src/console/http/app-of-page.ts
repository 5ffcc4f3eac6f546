/**
 * The registered app for which a page is shown: its name and logo stand beside the brand. An app that nobody has
 * registered names itself, so it is named on the page that asks alone, behind its host.
 */
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { AppError } from "../../base/errors";
import type { AppEnv } from "../../base/http/env";
import { openRequest } from "../../oauth/authorization/authorize";
import { isClientId } from "../../oauth/clients/keys";
import { type ClientRow, findClient } from "../../oauth/clients/store";

/** Notes the app, which is known already. The policy of the page must let its logo in. */
export function noteApp(c: Context<AppEnv>, { kind, name, settings: { logoUrl } }: ClientRow): void {
  if (kind !== "registered") return;
  c.set("appOfPage", () => Promise.resolve({ name, logoUrl }));
  if (logoUrl !== null) c.set("pageUses", { ...c.get("pageUses"), imageOrigin: new URL(logoUrl).origin });
}

/** Finds the app of a page that is shown while nothing is decided about the request: only then is it read. */
export const showApp = createMiddleware<AppEnv>(async (c, next) => {
  c.set("appOfPage", async () => {
    const client = await appThatAsks(c);
    if (client) noteApp(c, client);
    return client && { name: client.name, logoUrl: client.settings.logoUrl };
  });
  await next();
});

/** Undefined without a request, and for one that is over or not ours, of which the page itself says so. */
async function appThatAsks(c: Context<AppEnv>): Promise<ClientRow | undefined> {
  const sealed = c.req.query("r");
  if (sealed === undefined) return undefined;
  const deps = c.get("deps");
  try {
    const clientId = (await openRequest(deps, sealed)).params.get("client_id") ?? "";
    const client = isClientId(clientId) ? await findClient(deps, clientId) : undefined;
    return client?.enabled === true ? client : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
