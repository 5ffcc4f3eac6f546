/** Uses the stores of people who sign on with their tenant's own provider. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import { removeLeftAccounts } from "../../src/lifecycle/deletion/left-accounts";
import { call, signUp, signUpVerified } from "./client";
import { mailTo, tokenIn } from "./mailbox";
import { moveInto, signedOnMember, signOnAs, wordOf } from "./signed-on";

/** Makes an account, changes it, takes one over, and links one, which its owner undoes. */
export async function signOnEverybody(): Promise<void> {
  const { connection, word } = await signedOnMember();
  const email = `new-${crypto.randomUUID()}@${connection.domain}`;
  await signOnAs({ ...word, email, name: "Ada King", role: { role: "viewer", rule: 0 } });
  const unproven = await moveInto(connection, await signUp());
  await signOnAs(wordOf(connection, { email: unproven.email }));
  const linked = await moveInto(connection, await signUpVerified());
  await signOnAs(wordOf(connection, { email: linked.email }));
  const notMe = { token: tokenIn(await mailTo(linked.email, /You can now sign in with/)) };
  await call("POST", "/auth/not-me", { body: notMe });
  await removeLeftAccounts(await createDeps(env, createExecutionContext()), 0, "", () => false);
}
