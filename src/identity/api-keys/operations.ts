/** What people do with their API keys. */
import { operation } from "../../platform/operation";
import { issueApiKey } from "./issue";
import { revokeApiKey } from "./revoke";
import { newApiKey } from "./schemas";

export const apiKeys = {
  issue: operation({
    limit: { rule: "createApiKey", per: "user" },
    schema: newApiKey,
    verb: ({ deps, principal, input }) => issueApiKey(deps, principal, input),
  }),
  revoke: operation({
    verb: ({ deps, principal, param }) => revokeApiKey(deps, principal, param("id")),
  }),
};
