/** The discovery documents. */
import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, isolate, makeTables, ORIGIN, register } from "../support/token-signers";

beforeEach(makeTables);

/** The first two with roles or metadata of the product, the others for people whom it has named or who owe a factor. */
const NOT_IN_EACH_TOKEN = ["permissions", "metadata", "external_id", "tenant_external_id", "second_factor_due"];

afterEach(() => {
  vi.useRealTimers();
});

describe("the discovery documents", () => {
  const document = {
    issuer: ORIGIN,
    jwks_uri: `${ORIGIN}/.well-known/jwks.json`,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["EdDSA"],
    access_token_signing_alg_values_supported: ["EdDSA"],
    service_documentation: expect.stringContaining(`${ORIGIN}/docs/`),
  };

  test.each(["openid-configuration", "oauth-authorization-server"])(
    "%s says who issues and where the keys are",
    async (name) => {
      const { status, body } = await ask(isolate(), "GET", `/.well-known/${name}`);
      expect([status, body]).toEqual([200, expect.objectContaining(document)]);
      const token = await register(isolate());
      const claims = [...Object.keys(decodeJwt(token)), ...NOT_IN_EACH_TOKEN];
      expect(body.claims_supported.toSorted()).toEqual(claims.sort());
    },
  );

  test.each(["postern", "https://auth.example.com/", "https://auth.example.com/a", "ftp://auth.example.com"])(
    "are 404 where the issuer is %s",
    async (issuer) => {
      const { status, body } = await ask(isolate({ TOKEN_ISSUER: issuer }), "GET", "/.well-known/openid-configuration");
      expect([status, body.message]).toEqual([404, "Set PUBLIC_URL to publish this."]);
    },
  );

  test("the issuer is the origin of APP_URL without PUBLIC_URL", async () => {
    const settings = isolate({ PUBLIC_URL: "", APP_URL: "https://app.example.com/console", ...noProviders });
    expect((await ask(settings, "GET", "/.well-known/openid-configuration")).body.issuer).toBe(
      "https://app.example.com",
    );
  });
});

/** Providers need PUBLIC_URL. */
const noProviders = Object.fromEntries(
  ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].flatMap((name) => [
    [`${name}_CLIENT_ID`, ""],
    [`${name}_CLIENT_SECRET`, ""],
    ["OIDC_ISSUER", ""],
  ]),
);
