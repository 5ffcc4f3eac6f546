/** What an app does with an OpenID Connect library, whichever it is. */
import { exports } from "cloudflare:workers";
import type { App } from "../apps";
import { newAddress } from "../client";

export const CALLBACKS = ["openid-client", "auth/callback/postern", "hono"].map(
  (path) => `https://shop.example/${path}`,
);
export const AFTER = "https://shop.example/";

/** Who somebody is, as the library tells the app. */
export interface Said {
  userId: string | undefined;
  tenantId: string | undefined;
}

export interface Library {
  /** Returns where the browser is sent to sign in. */
  begin(): Promise<string>;
  /** Takes the browser back. Throws, or says nobody, for an answer that it refuses. */
  finish(answered: URL): Promise<Said | null>;
  /** Who it is after the tokens were renewed. */
  renew(): Promise<Said | null>;
  /** Signs out. Returns where the browser goes then; null if the library leads nowhere. */
  signOut(): Promise<string | null>;
}

export type NewLibrary = (app: App) => Promise<Library>;

/** The network of the app, in which there is only this service. */
export const reach = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const request = new Request(url, init);
  request.headers.set("cf-connecting-ip", newAddress());
  return exports.default.fetch(request);
};
