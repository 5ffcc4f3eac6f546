/** What people do with their API keys. */
import { operation } from "../../base/operation";
import { issueApiKey } from "./issue";
import { keysSeenBy, revokeApiKey } from "./revoke";
import { newApiKey } from "./schemas";
import { listApiKeys } from "./store";

export const apiKeys = {
  issue: operation({
    limit: { rule: "createApiKey", per: "user" },
    schema: newApiKey,
    verb: ({ deps, principal, input }) => issueApiKey(deps, principal, input),
  }),
  list: operation({
    verb: ({ deps, principal }) => listApiKeys(deps, keysSeenBy(principal), deps.now()),
  }),
  revoke: operation({
    verb: ({ deps, principal, param }) => revokeApiKey(deps, principal, param("id")),
  }),
};
