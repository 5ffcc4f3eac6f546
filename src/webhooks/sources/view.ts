/** The source as the API returns it, without its secrets. */
import type { Deps } from "../../base/deps";
import { iso } from "../../base/time";
import type { SourceErrorRow } from "./errors-store";
import { defaultPrefix } from "./read";
import type { Source } from "./schemas";
import { openSecrets, secretView } from "./secrets";
import type { SourceRow } from "./store";

/** What is stored of a source, without its secrets. */
export function storedView(row: SourceRow): Omit<Source, "url" | "secrets"> {
  const { typePrefix = defaultPrefix(row.provider), ...options } = row.options;
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    typePrefix,
    enabled: row.enabled,
    ...options,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
    ...(row.lastEventAt === null ? {} : { lastEventAt: iso(row.lastEventAt) }),
  };
}

/** `requestUrl` is the URL of the request that asks: its origin stands in for a missing PUBLIC_URL. */
export async function sourceView(deps: Deps, row: SourceRow, requestUrl: string): Promise<Source> {
  const origin = new URL(deps.config.publicUrl ?? requestUrl).origin;
  const secrets = (await openSecrets(deps, row.id, row.secretsSealed)).map(secretView);
  return { ...storedView(row), url: `${origin}/api/v1/in/${row.id}`, secrets };
}

export const errorView = ({ at, ...error }: SourceErrorRow) => ({ at: iso(at), ...error });
