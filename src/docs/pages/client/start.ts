import { type Client, createClient, type KeyValueStorage, webStorageStore } from "postern/client";

/** For a page: with `localStorage` the user stays signed in after a reload, and in all tabs. */
export const forPage = (storage: KeyValueStorage): Client =>
  createClient({ baseUrl: "https://postern.example.com", tokens: webStorageStore(storage) });

/** For a program. */
export const forProgram = (apiKey: string): Client =>
  createClient({ baseUrl: "https://postern.example.com", apiKey, timeoutMs: 5_000 });
