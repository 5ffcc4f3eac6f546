/** The API keys that stopped with a membership or an account, in answers and mails. */
import * as z from "zod";
import { described, id, says } from "../../base/schemas/schemas";

const endedApiKey = described("EndedApiKey", "An API key that no longer works.", () => ({
  id,
  name: z.string().meta({ examples: ["shop backend"] }),
  prefix: z.string().meta({ description: "The key's first characters and `…`.", examples: ["ak_4fG7…"] }),
}));

export type EndedApiKey = z.infer<typeof endedApiKey>;

/** The body of an answer that says so, and names the keys. */
export const endedMembership = <T extends string>(message: T) =>
  saysKeys(message, "The member's API keys in the tenant, which no longer work. Missing: there were none.");

/** The same for an account. */
export const endedAccount = <T extends string>(message: T) =>
  saysKeys(
    message,
    "The API keys that no longer work: the user's own, and those of tenants that were deleted too. Missing: there " +
      "were none.",
  );

const saysKeys = <T extends string>(message: T, description: string) =>
  says(message).extend({ endedApiKeys: z.array(endedApiKey).optional().meta({ description }) });

/** That body. */
export const endedWith = <T extends string>(message: T, keys: readonly EndedApiKey[]) => ({
  message,
  ...(keys.length > 0 ? { endedApiKeys: keys.map(({ id, name, prefix }) => ({ id, name, prefix })) } : {}),
});

/** The keys as a mail names them. */
export const namesOfKeys = (keys: readonly EndedApiKey[]): string[] =>
  keys.map(({ name, prefix }) => `${name} (${prefix})`);
