/** The command line as an app: every service knows it, without a registration. It acts at our API for a person. */
import type { Deps } from "../../base/deps";
import { API_PATH } from "../../base/paths";
import type { ClientRow } from "./store";
import { unlistedClient } from "./unlisted/row";

const CLI_ID = "postern-cli";
/** At whichever port is free (RFC 8252 section 7.3). */
const CALLBACK = "http://127.0.0.1/callback";

export const isBuiltIn = (clientId: string): boolean => clientId === CLI_ID;

/** Null for any other id. D1 has it once somebody has allowed it something. */
export async function builtInClient(deps: Pick<Deps, "config" | "now">, clientId: string): Promise<ClientRow | null> {
  if (!isBuiltIn(clientId)) return null;
  const said = { id: CLI_ID, kind: "built-in", name: `${deps.config.brand.name} command line`, host: null } as const;
  const row = await unlistedClient(
    { ...said, auth: "none", redirectUrls: [CALLBACK], jwks: null, jwksUrl: null },
    deps.now(),
  );
  const grants = ["authorization_code", "refresh_token", "device_code"] as const;
  const resources = [{ identifier: `${deps.config.tokenIssuer}${API_PATH}`, scopes: ["*"] }];
  return { ...row, settings: { ...row.settings, grants, resources } };
}
