/** The APIs of a request of a client that is known without D1, in a round trip of their own where there are any. */
import type { Deps } from "../../base/deps";
import type { ClientRow } from "../clients/store";
import { askedIdentifiers } from "../resources/asked";
import { withOurApi } from "../resources/our-api";
import type { ResourceRow } from "../resources/store";
import { readStanding } from "./store";

/** The client with those that the request names, and its own. */
export async function withKnownResources(
  deps: Deps,
  client: ClientRow,
  named: readonly string[],
): Promise<{ client: ClientRow; known: ResourceRow[] }> {
  const identifiers = askedIdentifiers(deps, named);
  if (identifiers.length === 0 && client.settings.resources.length === 0) return { client, known: [] };
  const { resources } = await readStanding(deps, { clientId: client.id, identifiers });
  return { client, known: withOurApi(deps, resources) };
}
