import type { Client } from "postern/client";

/** Registers an API of the tenant, whose document names it and this service. */
export async function registerNotes(postern: Client, identifier: string): Promise<string> {
  const scopes = [{ name: "notes.read", description: "Read your notes", default: true }];
  const { id } = await postern.resources.create({ name: "Notes", identifier, scopes });
  return id;
}
