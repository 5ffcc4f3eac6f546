import type { Client } from "postern/client";

/** Mails the customer's IT a link with which it sets up sign-on. Returns the id of the link. */
export async function askForSetup(postern: Client, email: string): Promise<string> {
  const { id } = await postern.setupLinks.create({ may: ["connection", "domains"], email });
  return id;
}
