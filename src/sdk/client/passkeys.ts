/** `/auth/passkeys`: signing in without a password. */

import { type Authenticators, forgetPasskey, makePasskey, showPasskey } from "./authenticator";
import type { Call, CallOptions } from "./call";
import type {
  Passkey,
  PasskeyCreationOptions,
  PasskeyInput,
  PasskeyLogin,
  PasskeyRegistrant,
  PasskeyRegistration,
  PasskeyRequestOptions,
  ShownPasskey,
  TokenPair,
} from "./generated";
import type { PasskeyEndpoints } from "./generated-methods";
import { passkeyEndpoints } from "./generated-requests";
import type { TokenStore } from "./token-store";

/** Options of a login with a passkey. */
export interface PasskeyLoginOptions {
  /** Which of the user's tenants to sign in to; the one used last unless given. */
  tenantId?: string | undefined;
  /**
   * True: no dialog opens. The browser offers passkeys where it fills in user names, in a field with
   * `autocomplete="username webauthn"`, until the user chooses one or `signal` aborts.
   */
  conditional?: boolean | undefined;
}

/**
 * `client.passkeys`. `register`, `login` and `confirm` work in browsers, on a page of the host that the service is set
 * up for. They throw the browser's DOMException too: NotAllowedError when the user declines, InvalidStateError for an
 * authenticator that has a passkey of this user already. Elsewhere they throw TypeError; an app uses `start…` and
 * `finish…` around the passkeys of its platform.
 *
 * @example
 * await client.passkeys.register("Ada's laptop");
 * // Later, on the sign-in page, beside a form with an input of autocomplete="username webauthn":
 * await client.passkeys.login({ conditional: true }, { signal });
 */
export interface PasskeyMethods extends PasskeyEndpoints {
  /**
   * Lets the browser make a passkey, and adds it under this name. Returns it.
   * Throws STEP_UP_REQUIRED, VALIDATION_FAILED, and CONFLICT for a user with ten passkeys.
   */
  register(name: string, options?: CallOptions): Promise<Passkey>;
  /**
   * Opens a session with a passkey, which identifies its user. Returns the tokens, which the client has already stored.
   * Throws UNAUTHENTICATED (the passkey is wrong or was removed), EMAIL_NOT_VERIFIED, and NOT_FOUND for a tenant that
   * the user does not belong to.
   */
  login(request?: PasskeyLoginOptions, options?: CallOptions): Promise<TokenPair>;
  /**
   * Confirms the session for ten minutes with a passkey, after a STEP_UP_REQUIRED. Returns the service's confirmation.
   * Throws CONFLICT for a user without passkeys, VALIDATION_FAILED.
   */
  confirm(options?: CallOptions): Promise<string>;
  /**
   * Creates an account that signs in with a passkey in place of a password, lets the browser make the passkey, and
   * opens its first session. `name` is what the user calls the passkey. Throws CAPTCHA_REQUIRED, FORBIDDEN,
   * EMAIL_TAKEN, INVALID_TOKEN for an invitation, VALIDATION_FAILED.
   */
  signUp(account: PasskeyRegistrant, name: string, options?: CallOptions): Promise<TokenPair>;
  /**
   * Returns the options with which a platform makes the passkey of a new account. Throws CAPTCHA_REQUIRED, FORBIDDEN.
   */
  startSignUp(body: PasskeyRegistrant, options?: CallOptions): Promise<PasskeyCreationOptions>;
  /** Creates the account with the passkey that a platform has made. Throws as `signUp`. */
  finishSignUp(body: PasskeyRegistration, options?: CallOptions): Promise<TokenPair>;
  /** Returns the options with which a platform makes a passkey. Throws STEP_UP_REQUIRED, CONFLICT. */
  startRegistration(options?: CallOptions): Promise<PasskeyCreationOptions>;
  /** Adds the passkey that a platform has made. Returns it. Throws STEP_UP_REQUIRED, VALIDATION_FAILED, CONFLICT. */
  finishRegistration(body: PasskeyInput, options?: CallOptions): Promise<Passkey>;
  /** Returns the options with which a platform asks for a passkey to sign in. Throws RATE_LIMITED. */
  startLogin(options?: CallOptions): Promise<PasskeyRequestOptions>;
  /**
   * Opens a session with the passkey that a platform has shown, as `login` does. Throws UNAUTHENTICATED,
   * EMAIL_NOT_VERIFIED, NOT_FOUND.
   */
  finishLogin(body: PasskeyLogin, options?: CallOptions): Promise<TokenPair>;
  /**
   * Returns the options to ask for a passkey that confirms the session with `auth.stepUp`. Throws CONFLICT for a user
   * without passkeys.
   */
  startConfirmation(options?: CallOptions): Promise<PasskeyRequestOptions>;
}

type SentOptions = CallOptions & { body: PasskeyLogin | PasskeyRegistration };

/** How long before it expires a challenge is replaced in the browser. */
const RENEWED_BEFORE_MS = 60_000;

/** The part of the methods that talks to the service only. */
function serviceMethods(call: Call, store: TokenStore) {
  const opened = async (path: "POST /auth/passkeys/login" | "POST /auth/register/passkey", options: SentOptions) => {
    const pair = await call.data<TokenPair>(path, { ...options, as: "nobody" });
    await store.save(pair);
    return pair;
  };
  return {
    startSignUp: (body, options) =>
      call.data("POST /auth/register/passkey/options", { ...options, body, as: "nobody" }),
    finishSignUp: (body, options) => opened("POST /auth/register/passkey", { ...options, body }),
    startRegistration: (options) => call.data("POST /auth/passkeys/options", options),
    finishRegistration: (body, options) => call.data("POST /auth/passkeys", { ...options, body }),
    startLogin: (options) => call.data("POST /auth/passkeys/login/options", { ...options, as: "nobody" }),
    finishLogin: (body, options) => opened("POST /auth/passkeys/login", { ...options, body }),
    startConfirmation: (options) => call.data("POST /auth/step-up/options", options),
  } satisfies Partial<PasskeyMethods>;
}

export function passkeyMethods(call: Call, store: TokenStore, authenticators: () => Authenticators): PasskeyMethods {
  const api = serviceMethods(call, store);
  const endpoints = passkeyEndpoints(call);

  /** Offers passkeys among the browser's suggestions until the user chooses one or the page aborts. */
  const suggested = async (options: CallOptions): Promise<ShownPasskey> => {
    for (;;) {
      const { state, options: request } = await api.startLogin(options);
      const limit = AbortSignal.timeout(request.timeout - RENEWED_BEFORE_MS);
      const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
      try {
        return { state, response: await showPasskey(authenticators(), request, { signal, mediation: "conditional" }) };
      } catch (error) {
        if (!limit.aborted || options.signal?.aborted) throw error;
      }
    }
  };
  const shown = async (start: PasskeyMethods["startLogin"], options: CallOptions): Promise<ShownPasskey> => {
    const { state, options: request } = await start(options);
    const { signal } = options;
    return { state, response: await showPasskey(authenticators(), request, signal ? { signal } : {}) };
  };

  return {
    ...endpoints,
    ...api,
    register: async (name, options = {}) => {
      const { state, options: creation } = await api.startRegistration(options);
      const response = await makePasskey(authenticators(), creation, options.signal);
      return api.finishRegistration({ state, response, name }, options);
    },
    signUp: async (account, name, options = {}) => {
      const { state, options: creation } = await api.startSignUp(account, options);
      const response = await makePasskey(authenticators(), creation, options.signal);
      return api.finishSignUp({ state, response, name }, options);
    },
    login: async ({ tenantId, conditional = false } = {}, options = {}) => {
      const passkey = conditional ? await suggested(options) : await shown(api.startLogin, options);
      return api.finishLogin({ ...passkey, tenantId }, options);
    },
    remove: async (id, options = {}) => {
      const said = await endpoints.remove(id, options);
      await forgetPasskey(id, async () => (await api.startLogin(options)).options.rpId);
      return said;
    },
    confirm: async (options = {}) => {
      const passkey = await shown(api.startConfirmation, options);
      return call.message("POST /auth/step-up", { ...options, body: { passkey } });
    },
  };
}
