/** The APIs of a request that comes without a browser, in a round trip of its own where there are any. */
import type { Deps } from "../../base/deps";
import type { ClientRow } from "../clients/store";
import { askedIdentifiers } from "../resources/asked";
import { withOurApi } from "../resources/our-api";
import type { ResourceRow } from "../resources/store";
import { readStanding } from "./store";

/** Those that the request names, and those of the client. */
export async function readKnownResources(
  deps: Deps,
  { id: clientId, settings }: ClientRow,
  params: URLSearchParams,
): Promise<ResourceRow[]> {
  const identifiers = askedIdentifiers(deps, params.getAll("resource"));
  if (identifiers.length === 0 && settings.resources.length === 0) return [];
  return withOurApi(deps, (await readStanding(deps, { clientId, identifiers })).resources);
}
