/** `postern logout`: gives the tokens back and forgets the account. */
import { forgetAccount, readKept } from "./account";
import { findEndpoints, post } from "./authorization-server";
import type { Command } from "./command";
import { EXIT } from "./failure";
import { print } from "./output";

export const logout: Command = {
  summary: "Sign out, and end what postern login has got",
  details: "A key is only forgotten: it goes on working until it is revoked in the console.",
  options: {},
  run: async ({ json }) => {
    const kept = readKept();
    if (kept?.url && kept.tokens) {
      const endpoints = await findEndpoints(kept.url);
      if (endpoints) await post(endpoints.revocation_endpoint, { token: kept.tokens.refresh });
    }
    forgetAccount();
    print(json, { url: kept?.url ?? null }, kept?.url ? `Signed out of ${kept.url}.` : "Nobody was signed in.");
    return EXIT.ok;
  },
};
