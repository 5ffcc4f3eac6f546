/**
 * The browser's side of passkeys in postern/client, with an authenticator in software in place of
 * `navigator.credentials`.
 */
import { describe, expect, test, vi } from "vitest";
import type { PasskeyRequestOptions } from "../../src/sdk/client";
import { call, newEmail, PASSWORD, signUpVerified } from "../support/client";
import { mailTo, tokenIn } from "../support/mailbox";
import { clientOf, serviceFetch } from "../support/sdk";
import { named, softAuthenticators } from "../support/soft-authenticators";

describe("client.passkeys", () => {
  test("adds a passkey, signs in with it, confirms the session and removes it", async () => {
    const person = await signUpVerified();
    const { authenticators, asked } = softAuthenticators();
    const { client } = clientOf(person, { authenticators });
    const added = await client.passkeys.register("Ada's laptop");
    expect(await client.passkeys.list()).toEqual([added]);
    const visitor = clientOf(undefined, { authenticators }).client;
    const pair = await visitor.passkeys.login({ tenantId: person.tenantId });
    expect((await visitor.auth.me()).id).toBe(person.userId);
    expect((await call("GET", "/auth/me", { token: pair.accessToken })).status).toBe(200);
    expect(await visitor.passkeys.confirm()).toBe("Confirmed.");
    await expect(visitor.auth.stepUp({ password: PASSWORD })).rejects.toMatchObject({ code: "STEP_UP_REQUIRED" });
    const [login, confirmation] = asked;
    expect([login?.mediation, login?.publicKey.allowCredentials]).toEqual([undefined, []]);
    expect(named(confirmation?.publicKey.allowCredentials ?? [])).toMatchObject([{ id: added.id }]);
    expect(await client.passkeys.rename(added.id, "Old laptop")).toBe("Passkey renamed.");
    const told = vi.fn(async (_: object) => Promise.reject(new Error("no such passkey here")));
    vi.stubGlobal("PublicKeyCredential", { signalUnknownCredential: told });
    expect(await client.passkeys.remove(added.id)).toBe("Passkey removed.");
    vi.unstubAllGlobals();
    expect(told.mock.calls).toEqual([[{ rpId: confirmation?.publicKey.rpId, credentialId: added.id }]]);
    await expect(visitor.passkeys.login()).rejects.toMatchObject({ code: "UNAUTHENTICATED", status: 401 });
  });

  test("creates an account with a passkey, which signs in once the address is verified", async () => {
    const { authenticators } = softAuthenticators();
    const { client } = clientOf(undefined, { authenticators });
    const email = newEmail();
    const pair = await client.passkeys.signUp({ email, name: "Ada" }, "Ada's laptop");
    expect((await call("GET", "/auth/me", { token: pair.accessToken })).body.data).toMatchObject({
      email,
      name: "Ada",
    });
    expect(await client.passkeys.list()).toMatchObject([{ name: "Ada's laptop" }]);
    await client.auth.verifyEmail(tokenIn(await mailTo(email, /Verify/)));
    await clientOf(undefined, { authenticators }).client.passkeys.login();
  });

  test("offers passkeys in the browser's suggestions, asks anew before a challenge expires, and ends with the page", async () => {
    const person = await signUpVerified();
    const { authenticators, asked } = softAuthenticators({ hold: 1 });
    await clientOf(person, { authenticators }).client.passkeys.register("phone");
    const { client, sent } = clientOf(undefined, {
      authenticators,
      // With it the client believes that the first challenge ends in a moment.
      fetch: async (url, init) => {
        const response = await serviceFetch(url, init);
        if (!url.endsWith("/login/options") || asked.length > 0) return response;
        const { data } = (await response.json()) as { data: PasskeyRequestOptions };
        return Response.json({ data: { ...data, options: { ...data.options, timeout: 60_050 } } });
      },
    });
    await client.passkeys.login({ conditional: true });
    expect(asked.map(({ mediation }) => mediation)).toEqual(["conditional", "conditional"]);
    expect(sent.filter(({ route }) => route.endsWith("/login/options"))).toHaveLength(2);
    expect((await client.auth.me()).id).toBe(person.userId);

    const waiting = softAuthenticators({ hold: 1 });
    const page = new AbortController();
    const other = clientOf(await signUpVerified(), { authenticators: waiting.authenticators }).client;
    await other.passkeys.register("phone");
    const login = other.passkeys.login({ conditional: true }, { signal: page.signal });
    setTimeout(() => page.abort("the page was left"), 20);
    await expect(login).rejects.toBe("the page was left");
  });

  test("says where there are no passkeys, and passes the browser's own errors on", async () => {
    const { client } = clientOf(await signUpVerified());
    await expect(client.passkeys.register("n")).rejects.toThrow(TypeError);
    const { authenticators } = softAuthenticators();
    const visitor = clientOf(undefined, { authenticators }).client;
    await expect(visitor.passkeys.login()).rejects.toMatchObject({ name: "NotAllowedError" });
  });
});
